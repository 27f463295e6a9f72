//! What a server does with a request, and what a client sees of that.

use std::{collections::VecDeque, time::Duration};

use exo_models::Head;

/// What a server does with one request.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// What a good server does.
    Serve,
    /// This status and nothing more.
    Status(u16),
    /// This status with headers.
    Says(u16, Vec<(&'static str, String)>),
    /// So many bytes of the right answer, then the connection is cut.
    CutAfter(usize),
    /// So many bytes, then an orderly end.
    EndAfter(usize),
    /// So many bytes, then silence.
    SilentAfter(usize),
    /// A byte every so often, for ever.
    Dribble(Duration),
    /// Right in everything, but one byte is another.
    Flip,
    /// The right bytes, and then more and more.
    Endless,
    /// All of it, although a range was asked for.
    IgnoreRange,
    /// A range, but from somewhere else.
    WrongRange,
    /// With these headers instead of its own, whatever they mean.
    With(Vec<(&'static str, String)>),
    /// Says that it came from there.
    From(String),
    /// No connection.
    Refuse,
}

/// What a client sees next.
pub(crate) enum Step {
    Head(Head),
    Chunk(Vec<u8>),
    End,
    Broken(&'static str),
    Dribble(Duration),
}

/// All of it, for a file with these bytes from there on.
pub(crate) fn steps(act: &Act, body: Option<Vec<u8>>, from: usize, url: &str) -> VecDeque<Step> {
    let head = |status, headers: &[(&str, String)]| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        Step::Head(Head { status, url: url.to_owned(), headers })
    };
    let Some(body) = body else { return [head(404, &[]), Step::End].into() };
    let total = body.len();
    let range = |from: usize| {
        vec![
            ("Content-Range", format!("bytes {from}-{}/{total}", total - 1)),
            ("Content-Length", (total - from).to_string()),
        ]
    };
    let honest = |from: usize| match from {
        0 => head(200, &[("Content-Length", total.to_string()), ("ETag", "\"v1\"".into())]),
        _ => head(206, &range(from)),
    };
    let chunks =
        |bytes: &[u8]| bytes.chunks(100_000).map(|chunk| Step::Chunk(chunk.to_vec())).collect::<Vec<_>>();
    let first = |count: usize| chunks(&body[from..(from + count).min(total)]);
    let mut steps = Vec::new();
    match act {
        Act::Refuse => steps.push(Step::Broken("connection refused")),
        Act::Status(status) => steps.extend([head(*status, &[]), Step::End]),
        Act::Says(status, headers) => steps.extend([head(*status, headers), Step::End]),
        Act::Serve => {
            steps.push(honest(from));
            steps.extend(chunks(&body[from..]));
            steps.push(Step::End);
        }
        Act::CutAfter(count) | Act::EndAfter(count) | Act::SilentAfter(count) => {
            steps.push(honest(from));
            steps.extend(first(*count));
            match act {
                Act::CutAfter(_) => steps.push(Step::Broken("connection reset")),
                Act::EndAfter(_) => steps.push(Step::End),
                _ => {}
            }
        }
        Act::Dribble(every) => steps.extend([honest(from), Step::Dribble(*every)]),
        Act::Flip => {
            let mut wrong = body[from..].to_vec();
            if let Some(byte) = wrong.last_mut() {
                *byte ^= 1;
            }
            steps.push(honest(from));
            steps.extend(chunks(&wrong));
            steps.push(Step::End);
        }
        Act::Endless => {
            steps.push(head(if from == 0 { 200 } else { 206 }, &range(from)[..usize::from(from > 0)]));
            steps.extend(chunks(&body[from..]));
            steps.extend((0..50).map(|_| Step::Chunk(vec![0; 100_000])));
        }
        Act::IgnoreRange => {
            steps.push(honest(0));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
        Act::WrongRange => {
            steps.push(head(206, &range(from / 2)));
            steps.extend(chunks(&body[from / 2..]));
            steps.push(Step::End);
        }
        Act::With(headers) => {
            steps.push(head(200, headers));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
        Act::From(elsewhere) => {
            let headers = Vec::new();
            steps.push(Step::Head(Head { status: 200, url: elsewhere.clone(), headers }));
            steps.extend(chunks(&body));
            steps.push(Step::End);
        }
    }
    steps.into()
}
