//! What a library is made of: its sections, and the crates that its code comes from.
//!
//! Read from the twin with names that scripts/lib/phone-linker leaves beside the library: what `cargo bloat` tells, without
//! building everything once more. A function counts for the first crate in its name that is not Rust's own:
//! `Vec<zenoh::Link>::drop` for zenoh. Generic ones have several in theirs, so a few kB either way mean nothing.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use anyhow::{Context, Result};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

/// Rust's own libraries, together.
pub const STD: &str = "std, core and alloc";
/// What the linker's optimiser found often enough to write once.
const SHARED: &str = "sequences shared by functions";

/// Bytes by what they are for and by whose they are.
pub struct Weights {
    /// Of the file, by section group.
    pub sections: BTreeMap<&'static str, u64>,
    /// Of the code, by crate.
    pub crates: BTreeMap<String, u64>,
}

impl Weights {
    /// Of the library with names at this path.
    pub fn of(path: &Path) -> Result<Self> {
        let data = std::fs::read(path).context("the library for arm64 was not linked with its names")?;
        let library = object::File::parse(&*data).context("the library for arm64 cannot be read")?;
        let mut sections = BTreeMap::new();
        for section in library.sections() {
            if let (Some(group), Some((_, size))) = (group(section.name()?), section.file_range()) {
                *sections.entry(group).or_default() += size;
            }
        }
        // Functions that came out the same were folded: several names, one place.
        let mut places = BTreeSet::new();
        let mut crates = BTreeMap::new();
        for symbol in library.symbols().filter(|symbol| symbol.kind() == SymbolKind::Text) {
            if symbol.size() > 0 && places.insert(symbol.address()) {
                *crates.entry(owner(symbol.name()?)).or_default() += symbol.size();
            }
        }
        Ok(Self { sections, crates })
    }
}

/// What a section is for; `None` for what stripping takes away.
fn group(section: &str) -> Option<&'static str> {
    Some(match section {
        ".text" | ".plt" => "code",
        ".eh_frame" | ".eh_frame_hdr" | ".gcc_except_table" => {
            "tables for unwinding: a panic becomes an error"
        }
        ".rodata" => "constants: kernels, texts, tables",
        ".dynsym" | ".dynstr" | ".hash" | ".gnu.hash" | ".gnu.version" | ".gnu.version_r" => {
            "names for the loader"
        }
        ".symtab" | ".strtab" | ".shstrtab" | ".comment" | "" => return None,
        _ if section.starts_with(".rela") => "addresses for the loader",
        _ => "data with addresses",
    })
}

/// Whose function it is.
fn owner(symbol: &str) -> String {
    let Ok(name) = rustc_demangle::try_demangle(symbol) else {
        return if symbol.starts_with("OUTLINED_FUNCTION") { SHARED } else { "exo_mobile" }.into();
    };
    let name = format!("{name:#}");
    // A path begins where no path is under way; what is in lower case and followed by `::` is a crate.
    let mut before = ' ';
    let mut rest = name.as_str();
    while let Some(start) = rest.find(|letter: char| letter.is_ascii_alphabetic() || letter == '_') {
        before = rest[..start].chars().last().unwrap_or(before);
        rest = &rest[start..];
        let end =
            rest.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_').unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if before != ':' && after.starts_with("::") && !matches!(word, "std" | "core" | "alloc") {
            return word.to_owned();
        }
        before = word.chars().last().unwrap_or(before);
        rest = after;
    }
    STD.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_counts_for_the_first_crate_that_is_not_rusts_own() {
        let cases = [
            ("_ZN5zenoh3net7runtime5start17h0123456789abcdefE", "zenoh"),
            ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", STD),
            ("_ZN4core3ptr45drop_in_place$LT$zenoh_config..Config$GT$17h0123456789abcdefE", "zenoh_config"),
            (
                "_ZN63_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$serde..Deserialize$GT$3get17h0123456789abcdefE",
                "serde",
            ),
            ("uniffi_exo_mobile_fn_method_node_id", "exo_mobile"),
            ("OUTLINED_FUNCTION_7", SHARED),
        ];
        for (symbol, crate_name) in cases {
            assert_eq!(owner(symbol), crate_name, "{symbol}");
        }
    }

    #[test]
    fn what_stripping_takes_away_weighs_nothing() {
        assert_eq!(group(".symtab"), None);
        assert_eq!(group(".rela.dyn"), Some("addresses for the loader"));
        assert_eq!(group(".data.rel.ro"), Some("data with addresses"));
    }
}
