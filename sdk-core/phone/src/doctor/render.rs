//! A report as text for people. A pure function: the same report gives the same text.

mod device;
mod kernels;

use std::fmt::Write;

use exo_gpu::{DeviceDescription, Health};

use super::report::{Opened, Report};
use crate::terminal::{Palette, Role};

/// The whole report.
pub(super) fn render(report: &Report, palette: Palette) -> String {
    let mut text = format!("{} {}\n", palette.paint(Role::Heading, "Exo Mobile SDK"), report.version);
    devices(&mut text, report, palette);
    refusals(&mut text, report, palette);
    if let Some(opened) = &report.opened {
        section(&mut text, "Device", palette);
        device::describe(&mut text, opened, palette);
        section(&mut text, "Self-tests", palette);
        kernels::table(&mut text, &opened.kernels, palette);
        for note in &opened.notes {
            let _ = writeln!(text, "\n{}", palette.paint(Role::Notice, &format!("note: {note}")));
        }
    }
    text.push('\n');
    text.push_str(&conclusion(report, palette));
    text.push('\n');
    text
}

fn section(text: &mut String, title: &str, palette: Palette) {
    let _ = writeln!(text, "\n{}", palette.paint(Role::Heading, title));
}

fn devices(text: &mut String, report: &Report, palette: Palette) {
    if report.devices.is_empty() {
        return;
    }
    section(text, "Devices found", palette);
    let opened = report.opened.as_ref().map(|opened| &opened.device);
    for device in &report.devices {
        let in_use = opened.is_some_and(|opened| same(opened, device));
        let mark = if in_use { palette.paint(Role::Good, "▸") } else { " ".into() };
        let what = palette.paint(Role::Quiet, &format!("{}, {}", device.backend, device::kind(device.kind)));
        let _ = writeln!(text, "{mark} {} {what}", device.name);
    }
}

fn same(a: &DeviceDescription, b: &DeviceDescription) -> bool {
    (a.backend, &a.name, &a.uuid) == (b.backend, &b.name, &b.uuid)
}

fn refusals(text: &mut String, report: &Report, palette: Palette) {
    if report.refusals.is_empty() {
        return;
    }
    section(text, "Refused", palette);
    for refusal in &report.refusals {
        let who = match &refusal.device {
            Some(device) => format!("{} {device}", refusal.backend),
            None => refusal.backend.to_string(),
        };
        let _ = writeln!(text, "  {}: {}", palette.paint(Role::Notice, &who), refusal.reason);
    }
}

/// The last line: everything in one sentence.
fn conclusion(report: &Report, palette: Palette) -> String {
    match (&report.error, &report.opened) {
        (Some(error), _) => palette.paint(Role::Bad, &format!("error: {error}")),
        (None, Some(opened)) => verdicts(opened, palette),
        (None, None) => palette.paint(Role::Bad, "error: nothing was opened, and no reason was given"),
    }
}

fn verdicts(opened: &Opened, palette: Palette) -> String {
    let tested = opened.kernels.len();
    let distrusted: Vec<&str> = opened.distrusted().map(|kernel| kernel.kernel.as_str()).collect();
    if let Health::Replaced { reason } = &opened.health {
        palette.paint(Role::Bad, &format!("the device was lost during its tests: {reason}"))
    } else if tested == 0 {
        palette.paint(Role::Bad, "no self-test ran on this device, so nothing is proven")
    } else if distrusted.is_empty() {
        palette.paint(Role::Good, &format!("all {tested} self-tests passed"))
    } else {
        let names = distrusted.join(", ");
        let failed = distrusted.len();
        palette.paint(
            Role::Bad,
            &format!("{failed} of {tested} self-tests failed: {names}; the CPU computes in their place"),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::sample;

    fn plain(report: &Report) -> String {
        render(report, Palette::Plain)
    }

    #[test]
    fn a_healthy_device_ends_with_the_number_of_tests_passed() {
        assert!(plain(&sample::healthy()).ends_with("\nall 2 self-tests passed\n"));
    }

    #[test]
    fn a_kernel_that_lies_is_named_at_the_end_and_explained_in_the_table() {
        let text = plain(&sample::one_kernel_lies());
        assert!(
            text.ends_with("\n1 of 2 self-tests failed: matvec_q4_f16; the CPU computes in their place\n")
        );
        assert!(text.contains(sample::LIE), "{text}");
    }

    #[test]
    fn every_refusal_shows_its_reason() {
        for report in [sample::healthy(), sample::nothing_opened()] {
            assert!(plain(&report).contains(&format!("vulkan llvmpipe: {}", sample::REFUSAL)));
        }
    }

    #[test]
    fn the_device_in_use_is_marked() {
        assert!(plain(&sample::healthy()).contains("▸ Madeup 740 vulkan, integrated GPU"));
    }

    #[test]
    fn nothing_opened_is_an_error_and_not_an_empty_table() {
        let text = plain(&sample::nothing_opened());
        assert!(text.ends_with("\nerror: no device could be opened\n"));
        assert!(!text.contains("Self-tests"));
    }

    #[test]
    fn plain_text_has_no_escape_codes_and_colours_change_nothing_else() {
        let plain = plain(&sample::one_kernel_lies());
        assert!(!plain.contains('\u{1b}'));
        let mut coloured = render(&sample::one_kernel_lies(), Palette::Coloured);
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(coloured, plain);
    }
}
