//! The table of kernels with the verdict on each.

use std::fmt::Write;

use crate::{
    doctor::{
        amounts,
        report::{Kernel, Verdict},
    },
    terminal::{Palette, Role},
};

/// One line a kernel.
pub(super) fn table(text: &mut String, kernels: &[Kernel], palette: Palette) {
    let width = kernels.iter().map(|kernel| kernel.name.len()).max().unwrap_or(0).max("kernel".len());
    let head = format!(
        "{:<width$}  {:<11} {:>11}  {:>9}  {:>8}",
        "kernel", "verdict", "worst error", "allowed", "time"
    );
    let _ = writeln!(text, "  {}", palette.paint(Role::Quiet, &head));
    for kernel in kernels {
        let (word, role, remark) = match &kernel.verdict {
            Verdict::Trusted => ("trusted", Role::Good, ""),
            Verdict::Wrong { reason } => ("wrong", Role::Bad, reason.as_str()),
            Verdict::Unsupported { why } => ("unsupported", Role::Notice, why.as_str()),
        };
        let _ = write!(
            text,
            "  {:<width$}  {} {:>11}  {:>9}  {:>8}",
            kernel.name,
            palette.paint(role, &format!("{word:<11}")),
            kernel.worst_error.map_or("-".into(), amounts::error),
            amounts::error(kernel.bound),
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
        let mut text = String::new();
        table(&mut text, &sample::opened().kernels, Palette::Plain);
        assert_eq!(
            text,
            "  kernel             verdict     worst error    allowed      time
  add                trusted               0     1.0e-5    1.2 ms
  matvec_q4_f16      trusted          3.1e-7     1.0e-5    1.2 ms
  matmul_native_f16  unsupported           -     1.0e-5    1.2 ms  f16 is missing
"
        );
    }
}
