//! What a run does and where its pieces lie.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// What the command line asked for.
pub struct Plan {
    /// Fewer rounds: to see that everything works, not to quote.
    pub quick: bool,
    /// Rows or families to run; all when empty.
    only: Vec<String>,
    /// The repository.
    pub root: PathBuf,
}

impl Plan {
    /// Reads the command line; `None` when help was asked for, and printed.
    pub fn parse(
        arguments: impl IntoIterator<Item = String>,
        root: &Path,
        help: &str,
    ) -> Result<Option<Self>> {
        let mut plan = Self { quick: false, only: Vec::new(), root: root.to_owned() };
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--quick" => plan.quick = true,
                "--only" => plan.only.push(arguments.next().context("--only takes a row, such as P5")?),
                "-h" | "--help" => {
                    print!("{help}");
                    return Ok(None);
                }
                other => bail!("unknown argument {other}\n\n{help}"),
            }
        }
        Ok(Some(plan))
    }

    /// Whether a row or family was asked for.
    pub fn wants(&self, id: &str) -> bool {
        let family = |id: &str| id.split('.').next().unwrap_or(id).to_owned();
        let matches = |only: &String| only == id || *only == family(id) || family(only) == id;
        self.only.is_empty() || self.only.iter().any(matches)
    }

    /// Rounds of a row; a full run takes `full`.
    pub fn rounds(&self, full: usize) -> usize {
        if self.quick { 2 } else { full }
    }

    /// Where figures are written: the documents only take whole runs, so that no row is ever dropped from them.
    pub fn output(&self) -> PathBuf {
        let whole = self.only.is_empty() && !self.quick;
        self.root.join(if whole { "docs/benchmarks" } else { "bench/target/partial" })
    }

    /// Where rivals' logs and everybody's data lie.
    pub fn peers(&self) -> PathBuf {
        self.root.join("bench/target/peers")
    }

    /// The Python that has numpy and ncnn.
    pub fn python(&self) -> PathBuf {
        self.root.join("bench/.venv/bin/python")
    }

    /// A Python rival's program.
    pub fn script(&self, name: &str) -> PathBuf {
        self.root.join("bench/peers").join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(arguments: &[&str]) -> Plan {
        let arguments = arguments.iter().map(ToString::to_string);
        Plan::parse(arguments, Path::new("/r"), "usage: this").unwrap().unwrap()
    }

    #[test]
    fn a_family_selects_its_rows_and_a_row_only_itself() {
        let family = plan(&["--only", "P1"]);
        assert!(family.wants("P1.up") && family.wants("P1.down") && !family.wants("P2"));
        let row = plan(&["--only", "P1.up"]);
        assert!(row.wants("P1.up") && row.wants("P1") && !row.wants("P1.down"));
        assert!(plan(&[]).wants("P8"));
    }

    #[test]
    fn only_a_whole_run_writes_the_documents() {
        assert!(plan(&[]).output().ends_with("docs/benchmarks"));
        assert!(!plan(&["--quick"]).output().ends_with("docs/benchmarks"));
        assert!(!plan(&["--only", "P5"]).output().ends_with("docs/benchmarks"));
    }

    #[test]
    fn a_mistyped_argument_is_an_error_that_shows_the_help() {
        let error = Plan::parse(["--fast".to_owned()], Path::new("/r"), "usage: this").err().unwrap();
        assert!(error.to_string().contains("usage:"));
    }
}
