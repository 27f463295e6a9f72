//! `y = W x` in a ggml graph of one node. Nothing is freed: the process lives for one benchmark.

use std::ffi::CStr;

use anyhow::{Context, Result, ensure};
use llama_cpp_sys_2 as ggml;

/// An opened ggml backend.
pub struct Backend {
    device: ggml::ggml_backend_dev_t,
    handle: ggml::ggml_backend_t,
    has_repacking: bool,
}

impl Backend {
    /// The CPU with `threads` threads.
    pub fn cpu(threads: i32) -> Result<Self> {
        // SAFETY: ggml registers its CPU device before main; null is its answer when there is none.
        let device = unsafe { ggml::ggml_backend_dev_by_type(ggml::GGML_BACKEND_DEVICE_TYPE_CPU) };
        let backend = Self::over(device, true)?;
        // SAFETY: the backend was just opened and is the CPU's.
        unsafe { ggml::ggml_backend_cpu_set_n_threads(backend.handle, threads) };
        Ok(backend)
    }

    /// The first Vulkan device that ggml lets us see.
    pub fn vulkan() -> Result<Self> {
        // SAFETY: indices are below the count, and names of devices live for ever.
        let device = unsafe {
            (0..ggml::ggml_backend_dev_count())
                .map(|index| ggml::ggml_backend_dev_get(index))
                .find(|device| text(ggml::ggml_backend_dev_name(*device)).starts_with("Vulkan"))
        };
        Self::over(device.context("ggml sees no Vulkan device")?, false)
    }

    fn over(device: ggml::ggml_backend_dev_t, has_repacking: bool) -> Result<Self> {
        ensure!(!device.is_null(), "ggml has no such device");
        // SAFETY: the device is one of ggml's own; no parameters are given.
        let handle = unsafe { ggml::ggml_backend_dev_init(device, std::ptr::null()) };
        ensure!(!handle.is_null(), "ggml could not open its device");
        Ok(Self { device, handle, has_repacking })
    }

    /// Where weights can live: the ordinary place, then those that rearrange weights for speed, as llama.cpp uses.
    fn places(&self) -> Vec<(String, ggml::ggml_backend_buffer_type_t)> {
        // SAFETY: the registry answers with the function that its own header describes, which returns a list
        // that ends with null, or null.
        unsafe {
            let ordinary = ggml::ggml_backend_get_default_buffer_type(self.handle);
            let mut places = vec![(String::new(), ordinary)];
            if !self.has_repacking {
                return places;
            }
            let registry = ggml::ggml_backend_dev_backend_reg(self.device);
            let found = ggml::ggml_backend_reg_get_proc_address(
                registry,
                c"ggml_backend_dev_get_extra_bufts".as_ptr(),
            );
            let extra: ggml::ggml_backend_dev_get_extra_bufts_t = std::mem::transmute(found);
            let Some(extra) = extra else { return places };
            let mut next = extra(self.device);
            while !next.is_null() && !(*next).is_null() {
                places
                    .push((format!("-{}", text(ggml::ggml_backend_buft_name(*next)).to_lowercase()), *next));
                next = next.add(1);
            }
            places
        }
    }
}

/// A graph of one product, with its memory.
pub struct Matvec {
    backend: ggml::ggml_backend_t,
    graph: *mut ggml::ggml_cgraph,
    y: *mut ggml::ggml_tensor,
    size: usize,
}

impl Matvec {
    /// The product in every 4-bit type and place of weights that the backend takes.
    pub fn all(backend: &Backend, size: usize, x: &[f32], w: &[f32]) -> Result<Vec<(String, Self)>> {
        ensure!(x.len() == size && w.len() == size * size, "the files do not hold {size} by {size}");
        let types =
            [("q4_0", ggml::GGML_TYPE_Q4_0), ("q4_1", ggml::GGML_TYPE_Q4_1), ("q4_k", ggml::GGML_TYPE_Q4_K)];
        let mut all = Vec::new();
        for (name, kind) in types {
            for (place, memory) in backend.places() {
                if let Some(matvec) = Self::new(backend.handle, kind, memory, size, x, w)? {
                    all.push((format!("{name}{place}"), matvec));
                }
            }
        }
        ensure!(!all.is_empty(), "the backend takes no 4-bit type");
        Ok(all)
    }

    /// `None` where this backend does not take this type from this memory.
    fn new(
        backend: ggml::ggml_backend_t,
        kind: ggml::ggml_type,
        memory: ggml::ggml_backend_buffer_type_t,
        size: usize,
        x: &[f32],
        w: &[f32],
    ) -> Result<Option<Self>> {
        let side = i64::try_from(size)?;
        // SAFETY: contexts are large enough for a handful of tensors without data; tensors are given memory
        // before data, of the sizes that ggml itself computes; `x` and `w` were measured by the caller.
        unsafe {
            let weights = context()?;
            let others = context()?;
            let weight = ggml::ggml_new_tensor_2d(weights, kind, side, side);
            let input = ggml::ggml_new_tensor_2d(others, ggml::GGML_TYPE_F32, side, 1);
            let y = ggml::ggml_mul_mat(others, weight, input);
            let held = ggml::ggml_backend_alloc_ctx_tensors_from_buft(weights, memory);
            ensure!(!held.is_null(), "no memory for the weights");
            // Which kernels can be used depends on where the weights live, so ask only now.
            let is_taken = ggml::ggml_backend_supports_op(backend, y);
            let is_rearranged = !(*weight).extra.is_null();
            if !is_taken || (memory != ggml::ggml_backend_get_default_buffer_type(backend) && !is_rearranged)
            {
                ggml::ggml_backend_buffer_free(held);
                return Ok(None);
            }
            let held = ggml::ggml_backend_alloc_ctx_tensors(others, backend);
            ensure!(!held.is_null(), "no memory for the activations");
            let mut packed = vec![0u8; ggml::ggml_nbytes(weight)];
            ggml::ggml_quantize_chunk(
                kind,
                w.as_ptr(),
                packed.as_mut_ptr().cast(),
                0,
                side,
                side,
                std::ptr::null(),
            );
            ggml::ggml_backend_tensor_set(weight, packed.as_ptr().cast(), 0, packed.len());
            ggml::ggml_backend_tensor_set(input, x.as_ptr().cast(), 0, size_of_val(x));
            let graph = ggml::ggml_new_graph(others);
            ggml::ggml_build_forward_expand(graph, y);
            Ok(Some(Self { backend, graph, y, size }))
        }
    }

    /// Computes, and waits for the end.
    pub fn compute(&self) -> Result<()> {
        // SAFETY: the graph and its memory live as long as the process.
        let status = unsafe { ggml::ggml_backend_graph_compute(self.backend, self.graph) };
        ensure!(status == ggml::GGML_STATUS_SUCCESS, "ggml_backend_graph_compute: status {status}");
        Ok(())
    }

    /// The answer.
    pub fn y(&self) -> Vec<f32> {
        let mut y = vec![0f32; self.size];
        // SAFETY: `y` is a tensor of `size` f32, computed and waited for.
        unsafe { ggml::ggml_backend_tensor_get(self.y, y.as_mut_ptr().cast(), 0, self.size * 4) };
        y
    }
}

/// A context that describes tensors and holds none of their data.
fn context() -> Result<*mut ggml::ggml_context> {
    let params =
        ggml::ggml_init_params { mem_size: 1 << 20, mem_buffer: std::ptr::null_mut(), no_alloc: true };
    // SAFETY: ggml allocates the memory itself when given none.
    let context = unsafe { ggml::ggml_init(params) };
    ensure!(!context.is_null(), "no memory for a context");
    Ok(context)
}

/// ggml's own version.
pub fn version() -> String {
    // SAFETY: a string that lives for ever.
    text(unsafe { ggml::ggml_version() })
}

fn text(c: *const std::ffi::c_char) -> String {
    if c.is_null() {
        return "unnamed".into();
    }
    // SAFETY: not null, and ggml's names end with a zero and live for ever.
    unsafe { CStr::from_ptr(c) }.to_string_lossy().into_owned()
}
