//! One kernel through naga: parse, validate, reflect, write SPIR-V. [`metal`](crate::metal) writes the rest.
//!
//! Accesses are not bounds-checked in the generated code: lowering guarantees the ranges, and the front has
//! checked the tensors before.

use naga::{
    AddressSpace, Module, ResourceBinding, ShaderStage, StorageAccess,
    back::spv,
    compact::{KeepUnused, compact},
    valid::{Capabilities, ModuleInfo, ValidationFlags, Validator},
};

use crate::{metal::metal, source::Source};

/// Push constants that every Vulkan device has (`maxPushConstantsSize`).
const MAX_PARAMS_BYTES: u32 = 128;

/// SPIR-V of Vulkan 1.1, our floor.
const SPIRV_VERSION: (u8, u8) = (1, 3);

/// What lowering and the backends need to know of a kernel.
pub(crate) struct Compiled {
    pub(crate) name: String,
    pub(crate) entry: String,
    pub(crate) spirv: Vec<u32>,
    pub(crate) msl: String,
    /// By binding number; `true` where the kernel writes.
    pub(crate) writes: Vec<bool>,
    pub(crate) params_bytes: u32,
    pub(crate) workgroup: [u32; 3],
}

pub(crate) fn compile(source: &Source) -> Result<Compiled, String> {
    let mut module = naga::front::wgsl::parse_str(&source.text).map_err(|e| {
        let line = e.location(&source.text).map_or(0, |l| l.line_number as usize);
        format!("{}: {e}\n{}", source.place(line), e.emit_to_string_with_path(&source.text, &source.name))
    })?;
    validate(&module, source)?;
    // Pieces bring functions that not every kernel calls.
    compact(&mut module, KeepUnused::No);
    let info = validate(&module, source)?;

    let fail = |what: &str, why: &dyn std::fmt::Display| format!("{}: {what}: {why}", source.place(1));
    let [entry] = module.entry_points.as_slice() else {
        return Err(fail("entry points", &"a kernel has exactly one"));
    };
    if entry.name != source.entry || entry.stage != ShaderStage::Compute {
        return Err(fail(
            &entry.name,
            &format!("the entry point must be `@compute` and called `{}`", source.entry),
        ));
    }
    let writes = bindings(&module).map_err(|e| fail("bindings", &e))?;
    let params_bytes = params(&module).map_err(|e| fail("params", &e))?;
    Ok(Compiled {
        name: source.name.clone(),
        entry: source.entry.clone(),
        spirv: spirv(&module, &info, &source.entry).map_err(|e| fail("SPIR-V", &e))?,
        msl: metal(&module, &info, &source.entry, &writes).map_err(|e| fail("MSL", &e))?,
        workgroup: entry.workgroup_size,
        writes,
        params_bytes,
    })
}

fn validate(module: &Module, source: &Source) -> Result<ModuleInfo, String> {
    let capabilities = Capabilities::IMMEDIATES
        | Capabilities::SUBGROUP
        | Capabilities::SHADER_FLOAT16
        | Capabilities::SHADER_FLOAT16_IN_FLOAT32;
    Validator::new(ValidationFlags::all(), capabilities).validate(module).map_err(|e| {
        let line = e.location(&source.text).map_or(0, |l| l.line_number as usize);
        let text = e.emit_to_string_with_path(&source.text, &source.name);
        format!("{}: {}\n{text}", source.place(line), e.as_inner())
    })
}

/// Whether each binding is written; bindings are numbered from 0 without gaps, in group 0.
fn bindings(module: &Module) -> Result<Vec<bool>, String> {
    let mut found: Vec<(u32, bool)> = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        let Some(ResourceBinding { group, binding }) = variable.binding else { continue };
        let AddressSpace::Storage { access } = variable.space else {
            return Err(format!("@binding({binding}) must be `var<storage>`"));
        };
        if group != 0 {
            return Err(format!("@binding({binding}) must be in @group(0)"));
        }
        found.push((binding, access.contains(StorageAccess::STORE)));
    }
    found.sort_unstable();
    match found.iter().enumerate().find(|(i, (binding, _))| *i != *binding as usize) {
        Some((i, _)) => Err(format!("@binding({i}) is missing or unused")),
        None => Ok(found.into_iter().map(|(_, writes)| writes).collect()),
    }
}

/// The size of the `var<immediate>`, if there is one.
fn params(module: &Module) -> Result<u32, String> {
    let bytes = module
        .global_variables
        .iter()
        .filter(|(_, v)| v.space == AddressSpace::Immediate)
        .map(|(_, v)| module.types[v.ty].inner.size(module.to_ctx()))
        .sum();
    if bytes > MAX_PARAMS_BYTES {
        return Err(format!("{bytes} bytes; every device has {MAX_PARAMS_BYTES}, and not more"));
    }
    Ok(bytes)
}

fn spirv(module: &Module, info: &ModuleInfo, entry: &str) -> Result<Vec<u32>, spv::Error> {
    let options = spv::Options {
        lang_version: SPIRV_VERSION,
        flags: spv::WriterFlags::empty(),
        // Kernels write shared memory before they read it.
        zero_initialize_workgroup_memory: spv::ZeroInitializeWorkgroupMemoryMode::None,
        force_loop_bounding: false,
        // Divisors come from lowering and are never zero.
        emit_int_div_checks: false,
        // It would ask the device for a feature that kernels without stage inputs do not need.
        use_storage_input_output_16: false,
        ..spv::Options::default()
    };
    let pipeline = spv::PipelineOptions { shader_stage: ShaderStage::Compute, entry_point: entry.into() };
    spv::write_vec(module, info, &options, Some(&pipeline))
}
