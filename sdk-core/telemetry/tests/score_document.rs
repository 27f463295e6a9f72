//! The worked example of docs/scores.md, computed: its tables, its sentences and its picture are what the code says
//! today. `EXO_BLESS=1` writes them anew.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::{env, fmt::Write as _, fs, path::Path};

use exo_telemetry::{
    Reading, Readings, Source, Timestamp,
    reading::ThermalStatus,
    score::{Candidate, DeviceScorer, Factor, Score},
};

const AT: Timestamp = Timestamp(1_767_225_600_000);
const BEGIN: &str = "<!-- begin: tests/score_document.rs -->\n";
const END: &str = "<!-- end -->";

fn measured<T>(value: T) -> Reading<T> {
    Reading::measured(value, AT)
}

fn device(id: &str, gib: u64, compute: f64) -> Candidate {
    let mut readings = Readings::unavailable("it does not tell", AT);
    readings.memory.available = measured(gib << 30);
    Candidate::new(id, &readings, measured(compute))
}

/// A Mac, an Android phone that tells headroom, an iPhone that tells little, and a hot host without a GPU.
fn desk() -> Vec<Candidate> {
    let mac =
        Candidate { utilisation: measured(0.25), temperature: measured(52.0), ..device("mac", 10, 4e12) };
    let pixel =
        Candidate { utilisation: measured(0.10), headroom: measured(0.45), ..device("pixel", 5, 1.2e12) };
    let iphone = Candidate { status: measured(ThermalStatus::Light), ..device("iphone", 3, 1.6e12) };
    let host =
        Candidate { utilisation: measured(0.5), temperature: measured(86.0), ..device("host", 20, 0.4e12) };
    let not_measured = || Reading::unavailable("no train got through yet", AT);
    vec![
        mac.linked(measured(0.004), measured(60e6)),
        pixel.linked(measured(0.006), measured(30e6)),
        iphone.linked(measured(0.008), not_measured()),
        host.linked(measured(0.002), measured(110e6)),
    ]
}

/// "0.30", "~0.30" if it was estimated, "?" if it is not known.
fn cell(factor: &Factor) -> String {
    match (factor.value, factor.source) {
        (Some(value), Source::Estimated) => format!("~{value:.3}"),
        (Some(value), _) => format!("{value:.3}"),
        (None, _) => "?".into(),
    }
}

fn table(scores: &[Score]) -> String {
    let mut text = String::from("| device |");
    for factor in &scores[0].factors {
        let (name, weight) = (factor.part.words(), factor.weight);
        let _ = if weight > 0.0 {
            write!(text, " {name} × {weight:.2} |")
        } else {
            write!(text, " times {name} |")
        };
    }
    text += " score | confidence |\n|---|";
    text += &"---|".repeat(scores[0].factors.len() + 2);
    for score in scores {
        let _ = write!(text, "\n| {} |", score.id);
        for factor in &score.factors {
            let _ = write!(text, " {} |", cell(factor));
        }
        let _ = write!(text, " **{:.3}** | {:.0}% |", score.value.unwrap(), score.confidence * 100.0);
    }
    text + "\n"
}

fn example() -> String {
    let (composite, quick) = (DeviceScorer::composite().rank(&desk()), DeviceScorer::quick().rank(&desk()));
    let sentences: String = composite.iter().fold(String::new(), |text, score| text + &score.sentence + "\n");
    format!(
        "Composite, `~` for an estimate and `?` for what is not known:\n\n{}\nQuick:\n\n{}\nAnd in words:\n\n```text\n{sentences}```\n",
        table(&composite),
        table(&quick),
    )
}

const COLOURS: [&str; 5] = ["#1f6feb", "#8250df", "#1a7f37", "#bf8700", "#0e7c86"];
const LEFT: f64 = 80.0;
const WIDE: f64 = 520.0;

/// Each score as a bar of its parts. The parts that are known are stretched to the whole, as in the score.
fn picture() -> String {
    let scores = DeviceScorer::composite().rank(&desk());
    let height = 60.0 + 44.0 * scores.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {height}\" width=\"760\" role=\"img\" \
         aria-label=\"Four devices and what their scores are made of\">\n<style>text{{font:13px \
         system-ui,sans-serif;fill:#24292f}}.name{{font-weight:600}}.small{{font-size:11px;fill:#57606a}}</style>\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    let mut x = LEFT;
    for (factor, colour) in scores[0].factors.iter().zip(COLOURS) {
        let name = factor.part.words();
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.0}\" y=\"14\" width=\"10\" height=\"10\" fill=\"{colour}\"/><text class=\"small\" \
             x=\"{:.0}\" y=\"23\">{name}</text>",
            x + 14.0
        );
        x += 30.0 + 7.0 * name.len() as f64;
    }
    for (row, score) in scores.iter().enumerate() {
        let y = 44.0 + 44.0 * row as f64;
        let known: f64 =
            score.factors.iter().filter(|factor| factor.value.is_some()).map(|factor| factor.weight).sum();
        let _ = writeln!(
            svg,
            "<text class=\"name\" x=\"16\" y=\"{:.0}\">{}</text><rect x=\"{LEFT}\" y=\"{y:.0}\" width=\"{WIDE}\" \
             height=\"24\" fill=\"#eaeef2\"/>",
            y + 17.0,
            score.id
        );
        let mut x = LEFT;
        for (factor, colour) in score.factors.iter().zip(COLOURS) {
            let width = WIDE * factor.weight / known * factor.value.unwrap_or_default();
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.1}\" y=\"{y:.0}\" width=\"{width:.1}\" height=\"24\" fill=\"{colour}\"/>"
            );
            x += width;
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\">{:.2}<tspan class=\"small\" dx=\"8\">{:.0}% sure</tspan></text>",
            LEFT + WIDE + 12.0,
            y + 17.0,
            score.value.unwrap(),
            score.confidence * 100.0
        );
    }
    svg + "</svg>\n"
}

#[test]
fn the_document_says_what_the_code_computes() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let (page, image) = (docs.join("scores.md"), docs.join("images/scores.svg"));
    let text = fs::read_to_string(&page).unwrap();
    let begin = text.find(BEGIN).expect("the page marks where the example begins") + BEGIN.len();
    let end = begin + text[begin..].find(END).expect("and where it ends");
    if env::var_os("EXO_BLESS").is_some() {
        fs::write(&page, [&text[..begin], &example(), &text[end..]].concat()).unwrap();
        fs::write(&image, picture()).unwrap();
        return;
    }
    assert_eq!(text[begin..end], example(), "run with EXO_BLESS=1");
    assert_eq!(fs::read_to_string(image).unwrap_or_default(), picture(), "run with EXO_BLESS=1");
}

#[test]
fn the_numbers_that_the_page_works_out_by_hand_are_right() {
    let score = DeviceScorer::composite().score(&desk()[0]);
    let by_hand =
        0.40 * (3.0 / 4.0) + 0.30 * (10.0 / 16.0) + 0.15 * (10.0 / 14.0) + 0.10 * 0.70 + 0.05 * 0.48;
    assert!((score.value.unwrap() - by_hand).abs() < 1e-12, "{by_hand}");
    let iphone = DeviceScorer::composite().score(&desk()[2]);
    let known = 0.40 * (1.6 / 4.0) + 0.30 * (3.0 / 16.0) + 0.15 * (10.0 / 18.0) + 0.10 * 0.7;
    assert!((iphone.value.unwrap() - known / 0.95).abs() < 1e-12, "{known}");
    assert!((iphone.confidence - (0.40 * 0.5 + 0.30 + 0.15 + 0.10 * 0.5)).abs() < 1e-12);
}
