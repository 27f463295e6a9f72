//! What is known of the phones by now, and how it looks. Drawing is a pure function of it.

use std::{fmt::Write, sync::Arc, time::Duration};

use exo_node::{
    discovery::{Activity, ProviderStatus},
    driver::NodeStats,
    member::{ClusterView, MemberState, NodeView},
};

use super::{
    happening::{Happening, What, activity_name},
    lines,
};
use crate::terminal::{Palette, Role};

/// Lines that are kept below the phones.
const LAST_LINES: usize = 6;
const GIB: f64 = (1u64 << 30) as f64;

/// Everything that a status shows.
#[derive(Debug, Default)]
pub(crate) struct Page {
    title: String,
    at: Duration,
    phones: Vec<Phone>,
    last: Vec<String>,
}

/// One phone.
#[derive(Debug)]
struct Phone {
    label: Option<String>,
    node_id: String,
    state: MemberState,
    discovery: Arc<[ProviderStatus]>,
    view: Arc<ClusterView>,
    stats: NodeStats,
}

impl Page {
    /// An empty page.
    pub(crate) fn titled(title: &str) -> Self {
        Self { title: title.to_owned(), ..Self::default() }
    }

    /// Takes what happened.
    pub(crate) fn take(&mut self, happening: &Happening) {
        self.at = happening.at;
        if let Some(text) = lines::text(happening) {
            self.last.extend(text.lines().map(str::to_owned));
            let old = self.last.len().saturating_sub(LAST_LINES.max(text.lines().count()));
            self.last.drain(..old);
        }
        if matches!(happening.what, What::Advice(_) | What::Note(_)) {
            return;
        }
        let phone = self.phone(happening.phone.as_ref());
        match &happening.what {
            What::Started { node_id, .. } => phone.node_id.clone_from(node_id),
            What::State(state) => phone.state = state.clone(),
            What::Discovery(statuses) => phone.discovery = statuses.clone(),
            What::View(view) => phone.view = view.clone(),
            What::Stats(stats) => phone.stats = *stats,
            What::Advice(_) | What::Note(_) => {}
        }
    }

    fn phone(&mut self, label: Option<&String>) -> &mut Phone {
        let place = self.phones.iter().position(|phone| phone.label.as_ref() == label);
        let place = place.unwrap_or_else(|| {
            self.phones.push(Phone {
                label: label.cloned(),
                node_id: String::new(),
                state: MemberState::Searching,
                discovery: Arc::default(),
                view: Arc::default(),
                stats: NodeStats::default(),
            });
            self.phones.len() - 1
        });
        &mut self.phones[place]
    }

    /// The page as text.
    pub(crate) fn render(&self, palette: Palette) -> String {
        let mut text = format!(
            "{} {}\n",
            palette.paint(Role::Heading, &self.title),
            palette.paint(Role::Quiet, &format!("{:.0} s", self.at.as_secs_f64()))
        );
        for phone in &self.phones {
            phone.render(&mut text, palette);
        }
        // All phones of a cluster see the same; the one that sees most is shown.
        if let Some(phone) = self.phones.iter().max_by_key(|phone| phone.view.nodes.len()) {
            cluster(&mut text, &phone.view, palette);
        }
        let _ = writeln!(text, "\n{}", palette.paint(Role::Heading, "Lately"));
        for line in &self.last {
            let _ = writeln!(text, "  {line}");
        }
        text
    }
}

impl Phone {
    fn render(&self, text: &mut String, palette: Palette) {
        let label = self.label.as_deref().unwrap_or("This phone");
        let state = palette.paint(role(&self.state), &lines::in_words(&self.state));
        let id = palette.paint(Role::Quiet, &format!("{:.8}", self.node_id));
        let _ = writeln!(text, "\n{} {id}  {state}", palette.paint(Role::Heading, &format!("{label:<12}")));
        let (stats, member) = (&self.stats, &self.stats.member);
        let figures = format!(
            "acked {} of {} · resent {} · asked again {} · heard {} · lost links {}",
            member.acked, member.sent, member.resent, member.nacks, stats.heard, stats.links_lost
        );
        row(text, "events", &figures, palette);
        if let Some(session) = &self.view.session {
            let master = format!("{:.8}, clock {}", session.master_node_id.as_str(), session.election_clock);
            row(text, "master", &master, palette);
        }
        for status in self.discovery.iter().filter(|status| status.activity != Activity::Off) {
            let what = format!("{}: {}", activity_name(status.activity), status.note);
            row(text, status.provider.name(), &what, palette);
        }
    }
}

fn role(state: &MemberState) -> Role {
    match state {
        MemberState::Joined { .. } => Role::Good,
        MemberState::Failed { .. } => Role::Bad,
        MemberState::Left => Role::Quiet,
        _ => Role::Notice,
    }
}

fn row(text: &mut String, name: &str, value: &str, palette: Palette) {
    let _ = writeln!(text, "  {} {value}", palette.paint(Role::Quiet, &format!("{name:<10}")));
}

fn cluster(text: &mut String, view: &ClusterView, palette: Palette) {
    if view.nodes.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", palette.paint(Role::Heading, "Cluster"));
    for (id, node) in &view.nodes {
        let mark =
            if node.present { palette.paint(Role::Good, "●") } else { palette.paint(Role::Quiet, "○") };
        let name = node.name.as_deref().unwrap_or("(no name)");
        let id = palette.paint(Role::Quiet, &format!("{:.8}", id.as_str()));
        let _ = writeln!(text, "  {mark} {id} {name:<26.26} {}", telemetry(node));
    }
    for (model, nodes) in view.instances.values() {
        let _ = writeln!(text, "  {model} on {} nodes", nodes.len());
    }
}

/// Only what is known.
fn telemetry(node: &NodeView) -> String {
    let mut parts = Vec::new();
    parts.extend(node.chip.clone());
    parts.extend(node.os_version.clone());
    parts.extend(node.memory.map(|memory| {
        format!("{:.1} of {:.1} GiB free", memory.available as f64 / GIB, memory.total as f64 / GIB)
    }));
    parts.extend(node.temperature.map(|degrees| format!("{degrees:.0} °C")));
    parts.extend(node.gpu_use.map(|part| format!("GPU {:.0} %", part * 100.0)));
    parts.join(" · ")
}

#[cfg(test)]
mod tests {
    use exo_node::discovery::Provider;

    use super::*;

    fn happening(phone: &str, what: What) -> Happening {
        Happening { at: Duration::from_secs(3), phone: Some(phone.into()), what }
    }

    fn page() -> Page {
        let mut page = Page::titled("Demo");
        let note = "3 Hellos, nobody answered".to_owned();
        let status = ProviderStatus { provider: Provider::Loopback, activity: Activity::Searching, note };
        page.take(&happening("pixel", What::Discovery(Arc::new([status]))));
        page.take(&happening("pixel", What::State(MemberState::Joined { nodes: 2 })));
        let mut view = ClusterView::default();
        let node = NodeView { name: Some("Ada's Pixel".into()), present: true, ..NodeView::default() };
        view.nodes.insert(exo_wire::NodeId::heard("abcdef0123456789"), node);
        page.take(&happening("pixel", What::View(Arc::new(view))));
        page
    }

    #[test]
    fn the_page_shows_state_reasons_and_members() {
        let text = page().render(Palette::Plain);
        assert!(text.contains("joined, 2 nodes"), "{text}");
        assert!(text.contains("loopback   searching: 3 Hellos, nobody answered"), "{text}");
        assert!(text.contains("● abcdef01 Ada's Pixel"), "{text}");
    }

    #[test]
    fn what_is_unknown_is_not_shown() {
        let text = page().render(Palette::Plain);
        assert!(!text.contains("GiB") && !text.contains("°C"), "{text}");
    }

    #[test]
    fn only_the_last_lines_are_kept() {
        let mut page = page();
        for number in 0..50 {
            page.take(&happening("pixel", What::Note(format!("note {number}"))));
        }
        let text = page.render(Palette::Plain);
        assert!(text.contains("note 49") && !text.contains("note 40\n"), "{text}");
    }

    #[test]
    fn a_note_about_nobody_is_no_phone() {
        let mut page = page();
        page.take(&Happening { at: Duration::ZERO, phone: None, what: What::Note("hello".into()) });
        let text = page.render(Palette::Plain);
        assert!(text.contains("hello") && !text.contains("This phone"), "{text}");
    }

    #[test]
    fn colours_change_nothing_else() {
        let plain = page().render(Palette::Plain);
        assert!(!plain.contains('\u{1b}'));
        let mut coloured = page().render(Palette::Coloured);
        for code in ["0", "1", "2", "31", "32", "33"] {
            coloured = coloured.replace(&format!("\u{1b}[{code}m"), "");
        }
        assert_eq!(coloured, plain);
    }
}
