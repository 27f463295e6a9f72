//! What to say when nothing was found for a while.

use std::fmt::Write;

use exo_node::discovery::{Activity, Provider, ProviderStatus};

use super::happening::activity_name;

/// What was tried, what came of it, and what a person can do next. The search goes on meanwhile.
pub(crate) fn text(statuses: &[ProviderStatus]) -> String {
    let mut text = String::from("no exo found yet; still searching. What was tried:\n");
    for status in statuses {
        let (name, activity) = (status.provider.name(), activity_name(status.activity));
        let _ = writeln!(text, "  {name:9} {activity:9} {}", status.note);
    }
    text.push_str("What to do next:\n");
    for line in next_steps(statuses) {
        let _ = writeln!(text, "  - {line}");
    }
    text.truncate(text.trim_end().len());
    text
}

fn next_steps(statuses: &[ProviderStatus]) -> Vec<&'static str> {
    let is = |provider, activity| statuses.iter().any(|s| s.provider == provider && s.activity == activity);
    let mut steps = vec![
        "is exo running in the same network, and is it a build of June 2026 or later? Older ones do not speak zenoh",
    ];
    if is(Provider::Link, Activity::Off) {
        steps.push("if you know its address, give it: exo-phone join --link exo://192.168.1.7");
    }
    if is(Provider::Multicast, Activity::Blocked) && is(Provider::Unicast, Activity::Off) {
        steps.push(
            "multicast is not possible here; search host by host too: leave --only out or add --only unicast",
        );
    }
    steps.push("was exo started with --namespace? Give the same one here: --namespace TEXT");
    steps.push(
        "a guest network or a firewall may keep hosts apart: exo needs UDP 52413 and TCP 52414 and 52415",
    );
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(provider: Provider, activity: Activity, note: &str) -> ProviderStatus {
        ProviderStatus { provider, activity, note: note.to_owned() }
    }

    #[test]
    fn it_says_what_each_provider_saw_and_what_to_do_next() {
        let text = text(&[
            status(Provider::Multicast, Activity::Searching, "5 Hellos on eth0, nobody answered"),
            status(Provider::Link, Activity::Off, "no link was given"),
        ]);
        assert!(text.contains("multicast searching 5 Hellos on eth0, nobody answered"), "{text}");
        assert!(text.contains("--link exo://"), "{text}");
        assert!(text.contains("--namespace"), "{text}");
    }

    #[test]
    fn who_gave_a_link_is_not_told_to_give_one() {
        let text = text(&[status(Provider::Link, Activity::Searching, "exo://10.0.0.1 does not answer")]);
        assert!(!text.contains("give it:"), "{text}");
    }
}
