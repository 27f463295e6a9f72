//! The table of kernels with the verdict on each.

use std::fmt::Write;

use exo_gpu::{KernelReport, Verdict};

use crate::{
    amounts,
    terminal::{Palette, Role},
};

/// One line a kernel. The error is the largest seen, as a part of what is allowed for it.
pub(super) fn table(text: &mut String, kernels: &[KernelReport], palette: Palette) {
    let width = kernels.iter().map(|kernel| kernel.kernel.len()).max().unwrap_or(0).max("kernel".len());
    let head = format!(
        "{:<width$}  {:<7}  {:>5}  {:>16}  {:>8}",
        "kernel", "verdict", "cases", "error of allowed", "time"
    );
    let _ = writeln!(text, "  {}", palette.paint(Role::Quiet, &head));
    for kernel in kernels {
        let (word, role, remark) = match &kernel.verdict {
            Verdict::Trusted => ("trusted", Role::Good, ""),
            Verdict::Wrong { reason } => ("wrong", Role::Bad, reason.as_str()),
            Verdict::Failed { reason } => ("failed", Role::Bad, reason.as_str()),
        };
        let _ = write!(
            text,
            "  {:<width$}  {}  {:>5}  {:>16}  {:>8}",
            kernel.kernel,
            palette.paint(role, &format!("{word:<7}")),
            kernel.cases,
            amounts::part(kernel.worst_error),
            amounts::time(kernel.elapsed),
        );
        let _ = if remark.is_empty() { writeln!(text) } else { writeln!(text, "  {remark}") };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    #[test]
    fn columns_line_up_and_reasons_follow() {
        let mut kernels = sample::opened().kernels;
        kernels[1].verdict = Verdict::Failed { reason: "no pipeline".into() };
        let mut text = String::new();
        table(&mut text, &kernels, Palette::Plain);
        assert_eq!(
            text,
            "  kernel         verdict  cases  error of allowed      time
  add            trusted      4               0 %    1.2 ms
  matvec_q4_f16  failed       4              31 %    1.2 ms  no pipeline
"
        );
    }
}
