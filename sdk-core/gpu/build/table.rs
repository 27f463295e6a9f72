//! Writes `kernels.rs`: a static table of all kernels and a constant for each, and beside it the Metal sources and
//! the SPIR-V modules, in packs (see src/lowering/packed.rs).

use std::{fmt::Write as _, fs, path::Path};

use miniz_oxide::deflate::compress_to_vec;

use crate::compile::Compiled;

/// Deflate's highest level; there is time at the build.
const BEST: u8 = 10;

/// Words of a pack, about: deflate looks back by 32 KiB, and each pipeline unpacks all of its pack.
const PACK_WORDS: usize = 16 << 10;

pub(crate) fn write(kernels: &[Compiled], out: &Path) -> Result<(), String> {
    let save = |name: &str, bytes: &[u8]| {
        let path = out.join(name);
        fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    for kernel in kernels {
        save(&format!("{}.metal", kernel.name), kernel.msl.as_bytes())?;
    }
    let packs = packs(kernels);
    for (index, pack) in packs.iter().enumerate() {
        save(&format!("pack{index}.spv.deflate"), &compress_to_vec(&planes(pack), BEST))?;
    }
    let mut rust = String::new();
    render(kernels, &packs, &mut rust).map_err(|e| e.to_string())?;
    save("kernels.rs", rust.as_bytes())
}

/// Neighbours together, as long as a pack is not full.
fn packs(kernels: &[Compiled]) -> Vec<Vec<&Compiled>> {
    let mut packs: Vec<Vec<&Compiled>> = Vec::new();
    for kernel in kernels {
        match packs.last_mut() {
            Some(pack) if words(pack) < PACK_WORDS => pack.push(kernel),
            _ => packs.push(vec![kernel]),
        }
    }
    packs
}

fn words(pack: &[&Compiled]) -> usize {
    pack.iter().map(|kernel| kernel.spirv.len()).sum()
}

/// The lowest bytes of all words, then the second ones, the third and the highest.
fn planes(pack: &[&Compiled]) -> Vec<u8> {
    let plane =
        |at: usize| pack.iter().flat_map(|kernel| &kernel.spirv).map(move |word| word.to_le_bytes()[at]);
    (0..4).flat_map(plane).collect()
}

fn render(kernels: &[Compiled], packs: &[Vec<&Compiled>], rust: &mut String) -> std::fmt::Result {
    for (index, _) in packs.iter().enumerate() {
        writeln!(rust, "#[cfg(any(not(target_vendor = \"apple\"), test))]")?;
        writeln!(
            rust,
            "static PACK{index}: &[u8] = include_bytes!(concat!(env!(\"OUT_DIR\"), \"/pack{index}.spv.deflate\"));"
        )?;
    }
    writeln!(rust, "/// Every kernel, by name.")?;
    writeln!(rust, "pub(crate) static KERNELS: [Kernel; {}] = [", kernels.len())?;
    let packed = packs.iter().enumerate().flat_map(|(index, pack)| {
        let mut next = 0;
        pack.iter().map(move |kernel| {
            let first = next;
            next += kernel.spirv.len();
            (*kernel, index, words(pack), first)
        })
    });
    for (kernel, pack, pack_words, first) in packed {
        let Compiled { name, entry, params_bytes, workgroup, .. } = kernel;
        let bindings: Vec<_> =
            kernel.writes.iter().map(|&w| if w { "Access::Write" } else { "Access::Read" }).collect();
        writeln!(rust, "    Kernel {{")?;
        writeln!(rust, "        name: {name:?},")?;
        writeln!(rust, "        entry: {entry:?},")?;
        writeln!(rust, "        #[cfg(any(not(target_vendor = \"apple\"), test))]")?;
        writeln!(rust, "        spirv: Packed {{")?;
        writeln!(rust, "            pack: PACK{pack},")?;
        writeln!(rust, "            pack_words: {pack_words},")?;
        writeln!(rust, "            first: {first},")?;
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
