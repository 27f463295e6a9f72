//! Programs that measure for us, print one number and end.

use std::{path::Path, process::Command};

use anyhow::{Context, Result, bail};

/// The last line that the command prints, as a number.
pub fn number(command: &mut Command) -> Result<f64> {
    // The name alone: where the project lies on this machine is nobody's business in a committed table.
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().display().to_string();
    let output = command.output().with_context(|| format!("{program} cannot be started"))?;
    if !output.status.success() {
        bail!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines()
        .last()
        .and_then(|line| line.trim().parse().ok())
        .with_context(|| format!("no number in {text:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Result<f64> {
        number(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn the_last_line_is_the_number() {
        assert_eq!(shell("echo hello; echo 0.25").unwrap(), 0.25);
        assert!(shell("echo hello").unwrap_err().to_string().contains("no number"));
    }

    #[test]
    fn a_program_that_fails_is_quoted() {
        let error = shell("echo no such library >&2; exit 1").unwrap_err();
        assert_eq!(error.to_string(), "sh: no such library");
    }
}
