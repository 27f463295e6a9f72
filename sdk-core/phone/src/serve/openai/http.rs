//! As much HTTP as a chat needs: one request a connection, within limits of size and time.
//!
//! It is for programs on this computer. What a web page could send on behalf of its reader is turned away: another
//! host's name, and bodies that are not JSON, which browsers send without asking.

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    time::{Duration, Instant},
};

/// The longest head of a request.
const LONGEST_HEAD: usize = 16 << 10;
/// The longest body: a long conversation.
const LONGEST_BODY: usize = 4 << 20;
const MOST_HEADERS: usize = 64;
/// A request that is not whole by then is given up.
pub(super) const WITHIN: Duration = Duration::from_secs(10);

/// What a client wants.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without its query.
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// Why a request is not read: the status, and the words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Bad(pub(super) u16, pub(super) String);

struct Head {
    method: String,
    path: String,
    bytes: usize,
    body: usize,
    expects_go_ahead: bool,
}

/// Reads a request. `None` if the client went away.
pub(super) fn read(stream: &mut TcpStream) -> Result<Option<Request>, Bad> {
    let until = Instant::now() + WITHIN;
    let mut bytes = Vec::new();
    let head = loop {
        if let Some(head) = head(&bytes)? {
            break head;
        }
        if bytes.len() >= LONGEST_HEAD {
            return Err(Bad(431, format!("the head of the request is longer than {LONGEST_HEAD} bytes")));
        }
        if !more(stream, &mut bytes, until)? {
            return Ok(None);
        }
    };
    if head.expects_go_ahead && stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_err() {
        return Ok(None);
    }
    let whole = head.bytes + head.body;
    while bytes.len() < whole {
        if !more(stream, &mut bytes, until)? {
            return Ok(None);
        }
    }
    bytes.truncate(whole);
    let body = bytes.split_off(head.bytes);
    Ok(Some(Request { method: head.method, path: head.path, body }))
}

/// Reads what has come. Whether anything did.
fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>, until: Instant) -> Result<bool, Bad> {
    let slow = || Bad(408, format!("the request was not whole within {} s", WITHIN.as_secs()));
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
        return Err(slow());
    }
    let mut piece = [0; 8 << 10];
    match stream.read(&mut piece) {
        Ok(count) => {
            bytes.extend(&piece[..count]);
            Ok(count > 0)
        }
        Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
            Err(slow())
        }
        Err(error) => Ok(error.kind() == io::ErrorKind::Interrupted),
    }
}

/// The head, if all of it has come.
fn head(bytes: &[u8]) -> Result<Option<Head>, Bad> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let read = request.parse(bytes).map_err(|error| Bad(400, format!("this is not HTTP: {error}")))?;
    let (httparse::Status::Complete(end), Some(method), Some(path)) = (read, request.method, request.path)
    else {
        return Ok(None);
    };
    let field = |name: &str| {
        let found = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
        found.map(|header| String::from_utf8_lossy(header.value).trim().to_ascii_lowercase())
    };
    if !field("host").is_some_and(|host| is_this_computer(&host)) {
        return Err(Bad(403, "this serves programs on this computer: ask for 127.0.0.1 or localhost".into()));
    }
    if field("transfer-encoding").is_some() {
        return Err(Bad(411, "send the body with a Content-Length, not in chunks".into()));
    }
    let body = match field("content-length") {
        Some(length) => length.parse().map_err(|_| Bad(400, "the Content-Length is no number".into()))?,
        None => 0,
    };
    if body > LONGEST_BODY {
        return Err(Bad(413, format!("the body has {body} bytes, and may have {LONGEST_BODY}")));
    }
    if body > 0 && !field("content-type").is_some_and(|kind| kind.starts_with("application/json")) {
        return Err(Bad(415, "send JSON, with Content-Type: application/json".into()));
    }
    let path = path.split(['?', '#']).next().unwrap_or_default().to_owned();
    let expects_go_ahead = field("expect").is_some_and(|what| what == "100-continue");
    Ok(Some(Head { method: method.to_owned(), path, bytes: end, body, expects_go_ahead }))
}

fn is_this_computer(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1")
}

/// Answers with JSON, and nothing after it.
pub(super) fn whole(stream: &mut TcpStream, status: u16, json: &str) -> io::Result<()> {
    let reason = reason(status);
    let length = json.len();
    let head = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), json.as_bytes()].concat())
}

/// Begins an answer in pieces. It ends with the connection.
pub(super) fn pieces(stream: &mut TcpStream) -> io::Result<()> {
    stream.write_all(
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\nconnection: close\r\n\r\n",
    )
}

/// One piece.
pub(super) fn piece(stream: &mut TcpStream, data: &str) -> io::Result<()> {
    stream.write_all(format!("data: {data}\n\n").as_bytes())
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        411 => "Length Required",
        413 => "Content Too Large",
        415 => "Unsupported Media Type",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const JSON: &str = "host: localhost:1\r\ncontent-type: application/json\r\n";

    fn refused(head_of: &str) -> u16 {
        head(head_of.as_bytes()).err().unwrap().0
    }

    #[test]
    fn a_head_is_read_when_all_of_it_has_come() {
        let text = format!("POST /v1/chat/completions?x=1 HTTP/1.1\r\n{JSON}content-length: 2\r\n\r\n{{}}");
        for end in 0..text.len() - 2 {
            assert!(head(&text.as_bytes()[..end]).unwrap().is_none(), "{end}");
        }
        let head = head(text.as_bytes()).unwrap().unwrap();
        assert_eq!((head.method.as_str(), head.path.as_str()), ("POST", "/v1/chat/completions"));
        assert_eq!((head.bytes, head.body), (text.len() - 2, 2));
    }

    #[test]
    fn what_a_web_page_could_send_is_turned_away() {
        assert_eq!(refused("GET / HTTP/1.1\r\nhost: evil.example\r\n\r\n"), 403);
        assert_eq!(refused("GET / HTTP/1.1\r\nhost: 127.0.0.1.evil.example:80\r\n\r\n"), 403);
        assert_eq!(refused("GET / HTTP/1.1\r\n\r\n"), 403);
        let plain =
            "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\n";
        assert_eq!(refused(plain), 415);
    }

    #[test]
    fn what_is_too_long_or_without_a_length_is_refused_by_its_head() {
        assert_eq!(refused(&format!("POST / HTTP/1.1\r\n{JSON}content-length: 99999999\r\n\r\n")), 413);
        assert_eq!(refused(&format!("POST / HTTP/1.1\r\n{JSON}content-length: -1\r\n\r\n")), 400);
        assert_eq!(refused(&format!("POST / HTTP/1.1\r\n{JSON}transfer-encoding: chunked\r\n\r\n")), 411);
        assert_eq!(refused("\u{16}\u{3}\u{1} nonsense\r\n\r\n"), 400);
    }
}
