//! Writes `kernels.rs`: a static table of all kernels and a constant for each, and beside it the Metal sources and
//! the SPIR-V modules, deflated.

use std::{fmt::Write as _, fs, path::Path};

use miniz_oxide::deflate::compress_to_vec;

use crate::compile::Compiled;

/// Deflate's highest level; there is time at the build.
const BEST: u8 = 10;

pub(crate) fn write(kernels: &[Compiled], out: &Path) -> Result<(), String> {
    let mut rust = String::new();
    for kernel in kernels {
        let metal = out.join(format!("{}.metal", kernel.name));
        fs::write(&metal, &kernel.msl).map_err(|e| format!("{}: {e}", metal.display()))?;
        let spirv: Vec<u8> = kernel.spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
        let packed = out.join(format!("{}.spv.deflate", kernel.name));
        fs::write(&packed, compress_to_vec(&spirv, BEST))
            .map_err(|e| format!("{}: {e}", packed.display()))?;
    }
    render(kernels, &mut rust).map_err(|e| e.to_string())?;
    let path = out.join("kernels.rs");
    fs::write(&path, rust).map_err(|e| format!("{}: {e}", path.display()))
}

fn render(kernels: &[Compiled], rust: &mut String) -> std::fmt::Result {
    writeln!(rust, "/// Every kernel, by name.")?;
    writeln!(rust, "pub(crate) static KERNELS: [Kernel; {}] = [", kernels.len())?;
    for kernel in kernels {
        let Compiled { name, entry, params_bytes, workgroup, .. } = kernel;
        let bindings: Vec<_> =
            kernel.writes.iter().map(|&w| if w { "Access::Write" } else { "Access::Read" }).collect();
        writeln!(rust, "    Kernel {{")?;
        writeln!(rust, "        name: {name:?},")?;
        writeln!(rust, "        entry: {entry:?},")?;
        writeln!(rust, "        #[cfg(any(not(target_vendor = \"apple\"), test))]")?;
        writeln!(rust, "        spirv: Packed {{")?;
        writeln!(
            rust,
            "            deflated: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.spv.deflate\")),"
        )?;
        writeln!(rust, "            words: {},", kernel.spirv.len())?;
        writeln!(rust, "        }},")?;
        writeln!(rust, "        #[cfg(any(target_vendor = \"apple\", test))]")?;
        writeln!(rust, "        msl: include_str!(concat!(env!(\"OUT_DIR\"), \"/{name}.metal\")),")?;
        writeln!(rust, "        bindings: &[{}],", bindings.join(", "))?;
        writeln!(rust, "        params_bytes: {params_bytes},")?;
        writeln!(rust, "        workgroup: {workgroup:?},")?;
        writeln!(rust, "        version: {:#x},", version(kernel))?;
        writeln!(rust, "    }},")?;
    }
    writeln!(rust, "];")?;
    for (i, Compiled { name, .. }) in kernels.iter().enumerate() {
        writeln!(rust, "\n/// `{name}`.")?;
        writeln!(rust, "pub(crate) const {}: &Kernel = &KERNELS[{i}];", name.to_uppercase())?;
    }
    Ok(())
}

/// FNV-1a over everything that was generated: a verdict on a kernel holds as long as this number.
fn version(kernel: &Compiled) -> u64 {
    let spirv = kernel.spirv.iter().flat_map(|word| word.to_le_bytes());
    spirv
        .chain(kernel.msl.bytes())
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
