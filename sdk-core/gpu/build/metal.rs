//! Writes a kernel as Metal source: buffer `i` of the function is binding `i`, and the parameters follow.

use naga::{Module, ResourceBinding, ShaderStage, back::msl, valid::ModuleInfo};

/// Metal of iOS 14 and macOS 11, the first with everything that we use.
const MSL_VERSION: (u8, u8) = (2, 3);

pub(crate) fn metal(
    module: &Module,
    info: &ModuleInfo,
    entry: &str,
    writes: &[bool],
) -> Result<String, String> {
    let mut resources = msl::EntryPointResources::default();
    for (binding, &mutable) in writes.iter().enumerate() {
        let target = msl::BindTarget { buffer: Some(binding as u8), mutable, ..msl::BindTarget::default() };
        resources.resources.insert(ResourceBinding { group: 0, binding: binding as u32 }, target);
    }
    resources.immediates_buffer = Some(writes.len() as u8);
    resources.sizes_buffer = Some(SIZES_SLOT);
    let options = msl::Options {
        lang_version: MSL_VERSION,
        per_entry_point_map: [(entry.to_owned(), resources)].into(),
        fake_missing_bindings: false,
        // Kernels write shared memory before they read it.
        zero_initialize_workgroup_memory: false,
        force_loop_bounding: false,
        // Divisors come from lowering and are never zero.
        emit_int_div_checks: false,
        ..msl::Options::default()
    };
    let pipeline = msl::PipelineOptions {
        entry_point: Some((ShaderStage::Compute, entry.into())),
        ..msl::PipelineOptions::default()
    };
    let (text, translation) =
        msl::write_string(module, info, &options, &pipeline).map_err(|e| e.to_string())?;
    match translation.entry_point_names.into_iter().next() {
        Some(Ok(name)) if name == entry => without_sizes(&text),
        Some(Ok(name)) => Err(format!("the entry point became `{name}`; rename the kernel")),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("no entry point".into()),
    }
}

/// Where naga is told to expect the sizes of the buffers, so that the argument can be found and removed.
const SIZES_SLOT: u8 = 30;

/// Removes the argument that holds the sizes of the buffers.
///
/// naga declares it for every kernel with a runtime-sized array, and reads it only for `arrayLength` and bounds
/// checks, which we do not use. What is not there need not be bound.
fn without_sizes(text: &str) -> Result<String, String> {
    let argument = "constant _mslBufferSizes& _buffer_sizes";
    let text = text
        .replace(&format!(", {argument} [[buffer({SIZES_SLOT})]]\n"), "")
        .replace(&format!(",\n    {argument}\n"), "\n")
        .replace(&format!("    {argument}\n"), "")
        .replace(", _buffer_sizes)", ")")
        .replace("(_buffer_sizes)", "()");
    let mut kept = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.lines() {
        inside |= line == "struct _mslBufferSizes {";
        if !inside {
            kept.push_str(line);
            kept.push('\n');
        }
        inside &= line != "};";
    }
    if kept.contains("_buffer_sizes") || kept.contains("_mslBufferSizes") {
        return Err("the kernel asks for the size of a buffer; pass it in the params".into());
    }
    Ok(kept)
}
