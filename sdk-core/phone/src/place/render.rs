//! A plan as text for people. A pure function: the same report gives the same text.

use std::fmt::Write;

use exo_node::planning::Assumption;
use exo_telemetry::placement::{Objective, PlacedStage, Status};

use super::report::{Handed, Report};
use crate::terminal::{Palette, Role};

/// Cells of the bar.
const BAR: usize = 60;

/// The whole report.
pub(super) fn render(report: &Report, palette: Palette) -> String {
    let mut text = title(report, palette);
    let section = |text: &mut String, title: &str| {
        let _ = writeln!(text, "\n{}", palette.paint(Role::Heading, title));
    };
    if report.plan.answer.status == Status::Infeasible {
        let summary = format!("There is no plan: {}", report.plan.answer.summary);
        let _ = writeln!(text, "\n{}", palette.paint(Role::Bad, &summary));
    } else {
        section(&mut text, "Plan");
        stages(&mut text, report, palette);
    }
    section(&mut text, "Why");
    why(&mut text, report, palette);
    next_best(&mut text, report, palette);
    if !report.plan.assumptions.is_empty() {
        section(&mut text, "Assumed, since nobody measured it");
        for line in assumptions(&report.plan.assumptions) {
            let _ = writeln!(text, "  {line}");
        }
    }
    handed(&mut text, report, palette);
    text
}

fn title(report: &Report, palette: Palette) -> String {
    let model = &report.plan.problem.model;
    let bytes: f64 = model.layers.iter().map(|layer| layer.bytes).sum();
    let bytes = gigabytes(bytes + model.embedding_bytes + model.head_bytes);
    let aim = match report.wishes.objective {
        Objective::Latency => "least time for a token",
        Objective::Throughput => "most tokens a second for many at once",
    };
    let (layers, context) = (model.layers.len(), report.wishes.context_tokens);
    let facts = format!("{layers} layers, {bytes}, {context} tokens of context, {aim}");
    format!("{} {}\n", palette.paint(Role::Heading, &report.model), palette.paint(Role::Quiet, &facts))
}

/// The bar, and a row for each stage.
fn stages(text: &mut String, report: &Report, palette: Palette) {
    let answer = &report.plan.answer;
    let _ = writeln!(text, "  {}", palette.paint(Role::Good, &speed(report)));
    let _ = writeln!(text, "  [{}]", bar(&answer.stages, report.plan.problem.model.layers.len()));
    let width = answer.stages.iter().map(|stage| name(report, stage).chars().count()).max().unwrap_or(0);
    for (place, stage) in answer.stages.iter().enumerate() {
        let layers =
            report.plan.problem.model.layers.get(stage.start_layer..stage.end_layer).unwrap_or_default();
        let bytes = layers.iter().map(|layer| layer.bytes).sum::<f64>();
        let (letter, name) = (letter(place), name(report, stage));
        let (first, last) = (stage.start_layer, stage.end_layer.saturating_sub(1));
        let _ = writeln!(
            text,
            "  {letter} {name:<width$}  layers {first:>3} to {last:>3}  {}",
            palette.paint(Role::Quiet, &gigabytes(bytes))
        );
    }
}

fn speed(report: &Report) -> String {
    let Some(cost) = report.plan.answer.cost_s else { return String::new() };
    let what = match report.wishes.objective {
        Objective::Latency => "for a token",
        Objective::Throughput => "between tokens when the pipeline is full",
    };
    let rate = if cost > 0.0 { format!(" ({:.1} a second)", 1.0 / cost) } else { String::new() };
    format!("{} {what}{rate}", milliseconds(cost))
}

/// Layers as a row of letters, each device with as much of it as it has layers.
fn bar(stages: &[PlacedStage], layers: usize) -> String {
    let cell = |layer: usize| (layer * BAR).checked_div(layers).unwrap_or(0);
    let mut bar = String::new();
    for (place, stage) in stages.iter().enumerate() {
        // A device with one layer of a hundred is shown too.
        let cells = (cell(stage.end_layer) - cell(stage.start_layer)).max(1);
        bar.extend(std::iter::repeat_n(letter(place), cells));
    }
    bar
}

fn letter(place: usize) -> char {
    char::from(b'A' + (place % 26) as u8)
}

fn name<'a>(report: &'a Report, stage: &'a PlacedStage) -> &'a str {
    report.plan.name_of(&stage.device)
}

fn why(text: &mut String, report: &Report, palette: Palette) {
    let answer = &report.plan.answer;
    let width =
        answer.devices.iter().map(|it| report.plan.name_of(&it.id).chars().count()).max().unwrap_or(0);
    for share in &answer.devices {
        let name = format!("{:<width$}", report.plan.name_of(&share.id));
        let role = if share.layers > 0 { Role::Good } else { Role::Quiet };
        let _ = writeln!(text, "  {}  {}", palette.paint(role, &name), named(&share.why, report));
    }
    if answer.devices.is_empty() {
        let _ = writeln!(text, "  no device is in the cluster");
    } else if answer.status != Status::Infeasible {
        let _ = writeln!(text, "  {}", answer.summary);
    }
}

/// The solver speaks of devices by their ids; people know their names.
fn named(words: &str, report: &Report) -> String {
    let participants = report.plan.participants.iter();
    participants.fold(words.to_owned(), |words, (id, it)| words.replace(id.as_str(), &it.name))
}

fn next_best(text: &mut String, report: &Report, palette: Palette) {
    let Some(next) = &report.plan.answer.next_best else { return };
    let stage = |stage: &PlacedStage| {
        format!("{} {} to {}", name(report, stage), stage.start_layer, stage.end_layer.saturating_sub(1))
    };
    let stages: Vec<String> = next.stages.iter().map(stage).collect();
    let (cost, worse) = (milliseconds(next.cost_s), next.worse_by * 100.0);
    let _ = writeln!(text, "\n{}", palette.paint(Role::Heading, "Next best"));
    let _ = writeln!(text, "  {cost}, {worse:.1}% slower: {}", stages.join(", "));
}

/// The same assumption about several devices is one line.
fn assumptions(list: &[Assumption]) -> Vec<String> {
    let mut lines: Vec<(Vec<&str>, &Assumption)> = Vec::new();
    for it in list {
        let same = |known: &Assumption| {
            (&known.unknown, &known.taken, &known.because) == (&it.unknown, &it.taken, &it.because)
        };
        match lines.iter_mut().find(|(_, known)| same(known)) {
            Some((about, _)) => about.push(&it.about),
            None => lines.push((vec![&it.about], it)),
        }
    }
    let line = |(about, it): &(Vec<&str>, &Assumption)| {
        let together = Assumption { about: about.join(", "), ..(*it).clone() };
        together.to_string()
    };
    lines.iter().map(line).collect()
}

fn handed(text: &mut String, report: &Report, palette: Palette) {
    let (role, words) = match &report.handed {
        None => return,
        Some(Handed::Over(over)) if over.seen => {
            (Role::Good, format!("exo took it: instance {} is in the cluster's log", over.instance_id))
        }
        Some(Handed::Over(over)) => (
            Role::Bad,
            format!(
                "exo took the command ({}), but no instance came of it within 10 s; its own log says why",
                over.command_id
            ),
        ),
        Some(Handed::Refused(why)) => (Role::Bad, format!("not handed over: {why}")),
    };
    let _ = writeln!(text, "\n{}", palette.paint(role, &words));
}

fn gigabytes(bytes: f64) -> String {
    if bytes >= 1e9 { format!("{:.1} GB", bytes / 1e9) } else { format!("{:.0} MB", bytes / 1e6) }
}

fn milliseconds(seconds: f64) -> String {
    if seconds >= 1.0 { format!("{seconds:.2} s") } else { format!("{:.1} ms", seconds * 1e3) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::sample;

    fn plain(report: &Report) -> String {
        render(report, Palette::Plain)
    }

    #[test]
    fn the_plan_is_a_bar_and_a_row_for_each_device() {
        let text = plain(&sample::split());
        assert!(
            text.starts_with("mlx-community/Qwen3-0.6B-4bit 40 layers, 20.0 GB, 4096 tokens of context"),
            "{text}"
        );
        let bar = text.lines().find(|line| line.starts_with("  [")).unwrap().trim();
        assert_eq!(bar.chars().filter(|c| c.is_alphabetic()).count(), BAR, "{text}");
        assert!(bar.contains("AB"), "{text}");
        assert!(text.contains("A studio  layers   0 to "), "{text}");
        assert!(text.contains(" a second)"), "{text}");
    }

    #[test]
    fn each_device_has_its_reason_and_nobody_is_called_by_an_id() {
        let text = plain(&sample::split());
        assert!(text.contains("pixel   not used: it offers no backend to exo: it is a guest"), "{text}");
        assert!(text.contains("studio  "), "{text}");
        for id in sample::IDS {
            assert!(!text.contains(id), "{id} in:\n{text}");
        }
    }

    #[test]
    fn the_next_best_plan_says_how_much_worse_it_is() {
        let text = plain(&sample::split());
        let next = text.split("Next best\n").nth(1).unwrap();
        assert!(next.lines().next().unwrap().contains("% slower: "), "{text}");
    }

    #[test]
    fn the_same_assumption_about_several_devices_is_one_line() {
        let text = plain(&sample::split());
        let heat = text.lines().filter(|line| line.contains("its heat is not told")).collect::<Vec<_>>();
        assert_eq!(heat.len(), 1, "{text}");
        assert!(heat[0].trim().starts_with("studio, book, tower: "), "{text}");
        assert!(text.contains("what Apple publishes for an M2 Ultra"), "{text}");
    }

    #[test]
    fn without_a_plan_it_says_what_is_missing_and_shows_no_bar() {
        let text = plain(&sample::too_large());
        assert!(text.contains("There is no plan: "), "{text}");
        assert!(text.contains("short"), "{text}");
        assert!(!text.contains("  ["), "{text}");
    }

    #[test]
    fn what_became_of_the_hand_over_is_the_last_line() {
        assert!(
            plain(&sample::handed(true)).ends_with("\nexo took it: instance i-1 is in the cluster's log\n")
        );
        assert!(plain(&sample::handed(false)).ends_with("its own log says why\n"));
        let refused = Report { handed: Some(Handed::Refused("because".into())), ..sample::split() };
        assert!(plain(&refused).ends_with("\nnot handed over: because\n"));
        assert!(!refused.is_as_wished() && sample::handed(true).is_as_wished());
        assert!(!sample::handed(false).is_as_wished() && !sample::too_large().is_as_wished());
    }

    #[test]
    fn a_device_with_a_single_layer_of_many_is_in_the_bar() {
        let stage = |start_layer, end_layer| PlacedStage { device: "d".into(), start_layer, end_layer };
        assert!(bar(&[stage(0, 399), stage(399, 400)], 400).ends_with("AB"));
        assert_eq!(bar(&[stage(0, 1)], 1), "A".repeat(BAR));
    }

    #[test]
    fn colours_change_nothing_else() {
        for report in [sample::split(), sample::too_large(), sample::handed(true)] {
            let mut coloured = render(&report, Palette::Coloured);
            for code in ["0", "1", "2", "31", "32", "33"] {
                coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
            }
            assert_eq!(coloured, plain(&report));
        }
    }

    #[test]
    fn the_json_is_one_line_with_the_answer_and_what_it_stands_on() {
        let line = sample::handed(true).json();
        assert_eq!(line.lines().count(), 1);
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["answer"]["status"], "optimal");
        assert_eq!(value["handed_over"]["instance_id"], "i-1");
        assert!(value["assumptions"].as_array().unwrap().iter().all(|it| it["because"].is_string()));
        assert!(value["devices"].as_array().unwrap().iter().any(|it| it["name"] == "studio"));
    }
}
