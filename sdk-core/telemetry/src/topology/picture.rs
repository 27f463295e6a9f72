//! The topology as a picture: for Graphviz, and as an SVG by itself.

use std::{
    collections::BTreeMap,
    f64::consts::{PI, TAU},
    fmt::Write,
};

use super::{
    Analysis, Link, LinkKind, Topology,
    summary::{bits, known, milliseconds},
};

/// From the middle of the picture to the middle of a device.
const RADIUS: f64 = 190.0;
/// Half of the picture, with room for names.
const HALF: (f64, f64) = (330.0, 260.0);
/// The height of a device, and how wide a letter of its name is.
const DEVICE: f64 = 32.0;
const LETTER: f64 = 7.5;
/// The same for the words of a link.
const PLATE: f64 = 16.0;
const SMALL_LETTER: f64 = 6.6;
/// Longer names are cut.
const LONGEST_NAME: usize = 18;

impl Topology {
    /// For Graphviz: `dot -Tsvg`, `neato`.
    pub fn dot(&self) -> String {
        let analysis = self.analyse();
        let mut text = String::from("graph cluster {\n  layout=neato; overlap=false; splines=true;\n");
        for device in self.devices() {
            let shape = if analysis.cuts(device) { ", style=bold, color=\"#b42318\"" } else { "" };
            let _ = writeln!(text, "  {} [shape=box{shape}];", quoted(device));
        }
        for link in self.links() {
            let colour = if analysis.narrows(link) { "#b42318" } else { colour(link.kind) };
            let (from, to, label) = (quoted(&link.from), quoted(&link.to), quoted(&label(link)));
            let _ = writeln!(text, "  {from} -- {to} [label={label}, color=\"{colour}\"];");
        }
        text + "}\n"
    }

    /// An SVG with the devices in a circle. Thick lines carry more; red ones are bottlenecks; a device with a red rim
    /// is one without which the cluster falls apart.
    pub fn svg(&self) -> String {
        let analysis = self.analyse();
        let (width, height) = (HALF.0 * 2.0, HALF.1 * 2.0);
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        let count = self.devices().len();
        let places: BTreeMap<_, _> =
            self.devices().enumerate().map(|(index, name)| (name, place(index, count))).collect();
        // Words after all lines, so that no line crosses them.
        for draw in [line, words] {
            for link in self.links() {
                let ends = (places.get(link.from.as_str()), places.get(link.to.as_str()));
                if let (Some(from), Some(to)) = ends {
                    draw(&mut text, link, *from, *to, analysis.narrows(link));
                }
            }
        }
        for (name, (x, y)) in &places {
            let rim = if analysis.cuts(name) { "#b42318" } else { "#344054" };
            let name = shortened(name);
            let width = name.chars().count() as f64 * LETTER + 20.0;
            let _ = writeln!(
                text,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{DEVICE}\" rx=\"8\" fill=\"#f2f4f7\" \
                 stroke=\"{rim}\" stroke-width=\"2\"/>\n<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" \
                 font-weight=\"bold\">{}</text>",
                x - width / 2.0,
                y - DEVICE / 2.0,
                y + 4.0,
                escaped(&name)
            );
        }
        text + "</svg>\n"
    }
}

impl Analysis {
    fn cuts(&self, device: &str) -> bool {
        self.cut_devices.iter().any(|cut| cut == device)
    }

    fn narrows(&self, link: &Link) -> bool {
        self.bottlenecks.iter().any(|narrow| link.joins(&narrow.from, &narrow.to))
    }
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}

/// The first device at the top, the others clockwise.
fn place(index: usize, count: usize) -> (f64, f64) {
    if count == 1 {
        return HALF;
    }
    let angle = TAU * index as f64 / count as f64 - PI / 2.0;
    (HALF.0 + RADIUS * 1.3 * angle.cos(), HALF.1 + RADIUS * angle.sin())
}

fn line(text: &mut String, link: &Link, from: (f64, f64), to: (f64, f64), narrow: bool) {
    let colour = if narrow { "#b42318" } else { colour(link.kind) };
    let _ = writeln!(
        text,
        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"{:.1}\"{}/>",
        from.0,
        from.1,
        to.0,
        to.1,
        thickness(link),
        if link.latency_p50.get().is_none() { " stroke-dasharray=\"4 4\"" } else { "" },
    );
}

/// What a link carries, in its colour, on a white plate: a line behind letters makes them hard to read.
fn words(text: &mut String, link: &Link, from: (f64, f64), to: (f64, f64), narrow: bool) {
    let colour = if narrow { "#b42318" } else { colour(link.kind) };
    // At two fifths of the way, so that the words of lines that cross in the middle do not hide each other.
    let (x, y) = (from.0 + (to.0 - from.0) * 0.4, from.1 + (to.1 - from.1) * 0.4);
    let label = label(link);
    let width = label.chars().count() as f64 * SMALL_LETTER + 6.0;
    let _ = writeln!(
        text,
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{PLATE}\" rx=\"3\" fill=\"#ffffff\"/>\n\
         <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"{colour}\">{}</text>",
        x - width / 2.0,
        y - PLATE / 2.0,
        y + 4.0,
        escaped(&label)
    );
}

/// "3.1 ms, 94 Mbit/s".
fn label(link: &Link) -> String {
    let slower = [&link.bandwidth_up, &link.bandwidth_down]
        .into_iter()
        .filter(|reading| reading.get().is_some())
        .min_by(|one, other| {
            let rate =
                |reading: &crate::Reading<super::Figure>| reading.get().map_or(0.0, |figure| figure.value);
            rate(one).total_cmp(&rate(other))
        });
    let bandwidth = slower.map_or_else(|| "?".into(), |reading| known(reading, bits));
    format!("{}, {bandwidth}", known(&link.latency_p50, milliseconds))
}

/// One more point for each tenfold of 1 Mbit/s.
fn thickness(link: &Link) -> f64 {
    let rate = link.bandwidth_up.get().map_or(0.0, |figure| figure.value * 8e-6);
    1.0 + rate.max(1.0).log10()
}

const fn colour(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Wifi => "#1570ef",
        LinkKind::Ethernet => "#067647",
        LinkKind::Thunderbolt => "#6938ef",
        LinkKind::Usb => "#b54708",
        LinkKind::Loopback => "#667085",
        LinkKind::Unknown => "#475467",
    }
}

/// Names come from other devices: nothing in them may end the string or the element.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        if matches!(letter, '"' | '\\') {
            quoted.push('\\');
        }
        quoted.push(letter);
    }
    quoted + "\""
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            letter => escaped.push(letter),
        }
    }
    escaped
}
