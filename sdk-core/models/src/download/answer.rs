//! What the beginning of an answer means. Nothing here is believed but what agrees with the list of files.

use std::time::Duration;

use crate::{Error, Head, Source, error::shortened};

/// What was asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Asked {
    /// A page of the list.
    List,
    /// A file from there on.
    File { from: u64, size: u64 },
}

/// What to do with the answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Read it; a file begins at its first byte again if `from_zero`.
    Take { from_zero: bool },
    /// Not this time.
    Again(Failure),
    /// Not ever.
    Never(Error),
}

/// Why an attempt failed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) why: String,
    /// The server asked for a pause.
    pub(super) wait: Option<Duration>,
    /// The server does not mean what it says, which rarely passes.
    pub(super) is_bad: bool,
    /// The next attempt asks for no range. What is there stays until all of it comes.
    pub(super) wants_all: bool,
}

impl Failure {
    pub(super) fn passing(why: impl Into<String>) -> Self {
        Self { why: why.into(), ..Self::default() }
    }

    pub(super) fn bad(why: impl Into<String>) -> Self {
        Self { is_bad: true, ..Self::passing(why) }
    }

    fn wanting_all(self) -> Self {
        Self { wants_all: true, ..self }
    }
}

/// Judges an answer; `what` names what was asked for, in a message.
pub(super) fn judge(head: &Head, asked: Asked, source: &Source, what: &str) -> Verdict {
    if source.is_https() && head.url.to_ascii_lowercase().starts_with("http:") {
        let why = "it was sent on from https to http, where anybody could change it".into();
        return Verdict::Never(Error::BadAnswer { what: what.into(), why });
    }
    let status = head.status;
    let failure = match (status, asked) {
        (200, Asked::List) => return taken(web_page(head), false),
        (200, Asked::File { from, size }) => return taken(wrong_body(head, size), from > 0),
        (206, Asked::File { from, size }) if from > 0 => return taken(wrong_range(head, from, size), false),
        (416, Asked::File { .. }) => {
            Failure::bad("the server does not have the rest (HTTP 416)").wanting_all()
        }
        (404 | 410, _) => return Verdict::Never(Error::NotFound { what: what.into(), status }),
        // An address that the server signed for us was too old; the next attempt gets a new one.
        (401 | 403, _) if !head.url.is_empty() && !source.is_own(&head.url) => {
            Failure::passing(format!("the server behind the server refused (HTTP {status})"))
        }
        (401 | 403, _) => return Verdict::Never(Error::NotAllowed { what: what.into(), status }),
        (408 | 425 | 429 | 500..=599, _) => {
            let why = if status == 429 { "too many requests" } else { "the server has trouble" };
            Failure { wait: wished_pause(head), ..Failure::passing(format!("{why} (HTTP {status})")) }
        }
        _ => {
            let why = format!("HTTP {status} is no answer to that");
            return Verdict::Never(Error::BadAnswer { what: what.into(), why });
        }
    };
    Verdict::Again(failure)
}

fn taken(wrong: Option<Failure>, from_zero: bool) -> Verdict {
    wrong.map_or(Verdict::Take { from_zero }, Verdict::Again)
}

fn wrong_body(head: &Head, expected: u64) -> Option<Failure> {
    web_page(head).or_else(|| encoded(head)).or_else(|| {
        let length = head.header("Content-Length")?;
        let why =
            || format!("the server has {} bytes for us, and {expected} were promised", shortened(length, 30));
        (length.parse() != Ok(expected)).then(|| Failure::bad(why()))
    })
}

fn wrong_range(head: &Head, from: u64, size: u64) -> Option<Failure> {
    let told = head.header("Content-Range").unwrap_or("nothing");
    if !is_range(told, from, size) {
        let why =
            format!("bytes {from} to the end of {size} were asked for, and {} comes", shortened(told, 60));
        return Some(Failure::bad(why).wanting_all());
    }
    wrong_body(head, size - from)
}

/// `bytes 100-199/200`, or `/*` for a server that does not know.
fn is_range(told: &str, from: u64, size: u64) -> bool {
    let Some((range, total)) = told.strip_prefix("bytes ").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    let Some((first, last)) = range.split_once('-') else { return false };
    let is = |text: &str, number: u64| text.parse() == Ok(number);
    is(first, from) && is(last, size - 1) && (total == "*" || is(total, size))
}

/// A network with a sign-in page answers everything with it.
fn web_page(head: &Head) -> Option<Failure> {
    let kind = head.header("Content-Type").unwrap_or_default();
    let is_page = kind.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("text/html"));
    is_page.then(|| Failure::bad("a web page came instead; if this network has a sign-in page, sign in"))
}

fn encoded(head: &Head) -> Option<Failure> {
    let coding = head.header("Content-Encoding").filter(|coding| !coding.eq_ignore_ascii_case("identity"))?;
    Some(Failure::bad(format!("the file comes as {}, which was not asked for", shortened(coding, 30))))
}

/// `Retry-After: 30`, or `t=30` in Hugging Face's `RateLimit`.
fn wished_pause(head: &Head) -> Option<Duration> {
    let after = head.header("Retry-After").map(str::to_owned);
    let limit = || {
        let mut parts = head.header("RateLimit")?.split(';');
        parts.find_map(|part| part.trim().strip_prefix("t=")).map(str::to_owned)
    };
    after.or_else(limit)?.parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(status: u16, headers: &[(&str, &str)]) -> Head {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Head { status, url: "https://h/x".into(), headers }
    }

    fn asked(head: &Head, from: u64, size: u64) -> Verdict {
        let source = Source::at("https://h", "a/b".parse().unwrap()).unwrap();
        judge(head, Asked::File { from, size }, &source, "x")
    }

    fn why(verdict: &Verdict) -> &str {
        match verdict {
            Verdict::Again(failure) => &failure.why,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_whole_file_and_the_right_rest_are_taken() {
        assert_eq!(asked(&head(200, &[]), 0, 10), Verdict::Take { from_zero: false });
        assert_eq!(asked(&head(200, &[("content-length", "10")]), 4, 10), Verdict::Take { from_zero: true });
        let rest = [("Content-Range", "bytes 4-9/10"), ("Content-Length", "6")];
        assert_eq!(asked(&head(206, &rest), 4, 10), Verdict::Take { from_zero: false });
        assert_eq!(
            asked(&head(206, &[("Content-Range", "bytes 4-9/*")]), 4, 10),
            Verdict::Take { from_zero: false }
        );
    }

    #[test]
    fn an_answer_that_contradicts_the_list_is_not_taken() {
        for range in ["bytes 0-9/10", "bytes 4-9/11", "bytes 4-8/10", "bytes */10", "4-9/10", "bytes 4-9", ""]
        {
            assert!(
                why(&asked(&head(206, &[("Content-Range", range)]), 4, 10)).contains("asked for"),
                "{range}"
            );
        }
        for length in ["9", "11", "-1", "ten", "99999999999999999999999"] {
            assert!(
                why(&asked(&head(200, &[("Content-Length", length)]), 0, 10)).contains("promised"),
                "{length}"
            );
        }
        assert!(
            why(&asked(&head(200, &[("Content-Type", "text/HTML; charset=x")]), 0, 10)).contains("sign in")
        );
        assert!(why(&asked(&head(200, &[("Content-Encoding", "gzip")]), 0, 10)).contains("gzip"));
        assert!(matches!(asked(&head(206, &[]), 0, 10), Verdict::Never(_)), "nobody asked for a range");
    }

    #[test]
    fn what_passes_is_told_from_what_does_not() {
        let kind = |status| match asked(&head(status, &[]), 0, 10) {
            Verdict::Never(error) => error.kind(),
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(404), crate::ErrorKind::NotFound);
        assert_eq!(kind(401), crate::ErrorKind::NotAllowed);
        assert_eq!(kind(302), crate::ErrorKind::BadAnswer);
        for status in [408, 416, 429, 500, 503, 599] {
            assert!(matches!(asked(&head(status, &[]), 0, 10), Verdict::Again(_)), "{status}");
        }
    }

    #[test]
    fn a_refusal_of_the_server_behind_the_server_passes() {
        let mut refusal = head(403, &[]);
        refusal.url = "https://cdn/signed".into();
        assert!(why(&asked(&refusal, 0, 10)).contains("behind"));
    }

    #[test]
    fn an_answer_that_left_https_is_never_taken() {
        let mut moved = head(200, &[]);
        moved.url = "HTTP://h/x".into();
        assert!(matches!(asked(&moved, 0, 10), Verdict::Never(Error::BadAnswer { .. })));
    }

    #[test]
    fn a_server_may_ask_for_a_pause() {
        let pause = |headers: &[(&str, &str)]| match asked(&head(429, headers), 0, 10) {
            Verdict::Again(failure) => failure.wait.map(|wait| wait.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(pause(&[("Retry-After", "7")]), Some(7));
        assert_eq!(pause(&[("RateLimit", "\"api\";r=0;t=52")]), Some(52));
        assert_eq!(pause(&[("Retry-After", "tomorrow")]), None);
    }
}
