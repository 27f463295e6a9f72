//! Reads kernels and puts each variant's source together.
//!
//! A kernel says its own variants, in lines that WGSL takes for comments:
//!
//! ```wgsl
//! //# use half                                       every variant includes pieces/half.wgsl
//! //# variant f16: const FORMAT = 1u; use subgroup   the kernel `<file>_f16`: declarations and more pieces
//! ```
//!
//! A file without `variant` lines is one kernel under the file's name. Declarations and pieces go *after* the
//! file's text (WGSL does not mind the order), so that line numbers in errors are those of the file.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// One variant of one kernel, ready for the compiler.
pub(crate) struct Source {
    /// `<file>` or `<file>_<variant>`.
    pub(crate) name: String,
    /// The file's name, which is the entry point's name.
    pub(crate) entry: String,
    /// The whole text.
    pub(crate) text: String,
    /// Where the parts of the text came from: the line that each begins at, from 1, in order.
    parts: Vec<(usize, String)>,
}

impl Source {
    /// `path:line` of a line of the whole text.
    pub(crate) fn place(&self, line: usize) -> String {
        match self.parts.iter().rev().find(|(first, _)| *first <= line) {
            Some((first, path)) => format!("{path}:{}", line - first + 1),
            None => format!("{}:{line}", self.name),
        }
    }

    fn append(&mut self, path: String, text: &str) {
        self.parts.push((self.text.lines().count() + 1, path));
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }
}

/// What a variant adds to the file.
#[derive(Clone, Default)]
struct Additions {
    pieces: Vec<String>,
    declarations: String,
}

impl Additions {
    fn read(&mut self, statements: &str) {
        for statement in statements.split(';').map(str::trim).filter(|s| !s.is_empty()) {
            if let Some(pieces) = statement.strip_prefix("use ") {
                self.pieces.extend(pieces.split_whitespace().map(String::from));
            } else {
                self.declarations.push_str(statement);
                self.declarations.push_str("; ");
            }
        }
    }
}

/// Every variant of every kernel in `dir`, ordered by name.
pub(crate) fn read_all(dir: &Path) -> Result<Vec<Source>, String> {
    let mut files: Vec<PathBuf> = fs::read_dir(dir)
        .map_err(|e| format!("{}: {e}", dir.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "wgsl"))
        .collect();
    files.sort();
    let mut all = Vec::new();
    for file in files {
        all.extend(read_file(dir, &file)?);
    }
    Ok(all)
}

fn read_file(dir: &Path, file: &Path) -> Result<Vec<Source>, String> {
    let text = read(file)?;
    let entry = file.file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let mut common = Additions::default();
    let mut variants = Vec::new();
    for (line, directive) in
        text.lines().enumerate().filter_map(|(i, l)| Some((i + 1, l.strip_prefix("//#")?.trim())))
    {
        if directive.starts_with("use ") {
            common.read(directive);
        } else if let Some((name, rest)) = directive.strip_prefix("variant ").and_then(|d| d.split_once(':'))
        {
            variants.push((format!("{entry}_{}", name.trim()), rest));
        } else {
            return Err(format!(
                "{}:{line}: `//# {directive}` is neither `//# use PIECE ...` nor `//# variant NAME: ...`",
                file.display()
            ));
        }
    }
    if variants.is_empty() {
        variants.push((entry.clone(), ""));
    }
    variants
        .into_iter()
        .map(|(name, statements)| {
            let mut additions = common.clone();
            additions.read(statements);
            let mut source = Source { name, entry: entry.clone(), text: String::new(), parts: Vec::new() };
            source.append(file.display().to_string(), &text);
            source.append(format!("{} (variant {})", file.display(), source.name), &additions.declarations);
            for piece in additions.pieces {
                let path = dir.join("pieces").join(format!("{piece}.wgsl"));
                source.append(path.display().to_string(), &read(&path)?);
            }
            Ok(source)
        })
        .collect()
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}
