//! Reading a response piece by piece, within limits.

use std::str;

/// The longest status line with all headers.
pub const LONGEST_HEAD: usize = 16 << 10;
/// The most headers.
const MOST_HEADERS: usize = 64;
/// The longest line that announces a chunk, with its extensions.
const LONGEST_CHUNK_LINE: usize = 256;

/// Why a response is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadResponse {
    /// Not HTTP.
    #[error("the answer is not HTTP: {0}")]
    NotHttp(String),
    /// A status other than 200. Redirects are not followed.
    #[error("the answer was {0}")]
    Status(u16),
    /// More than the limit allows.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// A coding that we did not ask for.
    #[error("the answer is encoded as {0:?}, which was not asked for")]
    Encoded(String),
    /// The connection ended too early.
    #[error("the answer broke off")]
    BrokenOff,
}

/// How the end of the body is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Framing {
    Length(usize),
    Chunked(Chunk),
    UntilClosed,
}

/// Where in a chunked body we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Chunk {
    /// Before a line with the chunk's length.
    Line,
    /// This many bytes of the chunk are still to come.
    Bytes(usize),
    /// Before the line end that closes a chunk.
    End,
    /// After the last chunk.
    Over,
}

/// A response that is being read. Give it bytes as they come, then [`Self::finish`] it.
#[derive(Debug)]
pub struct Response {
    largest_body: usize,
    /// Whether a status other than 200 is an answer too.
    any_status: bool,
    status: u16,
    unread: Vec<u8>,
    framing: Option<Framing>,
    body: Vec<u8>,
}

impl Response {
    /// A response whose body may have this many bytes.
    pub fn up_to(largest_body: usize) -> Self {
        Self {
            largest_body,
            any_status: false,
            status: 0,
            unread: Vec::new(),
            framing: None,
            body: Vec::new(),
        }
    }

    /// The same, of any status: a refusal says in its body what was wrong. See [`Self::status`].
    pub fn of_any_status(largest_body: usize) -> Self {
        Self { any_status: true, ..Self::up_to(largest_body) }
    }

    /// The status, 0 before it has come.
    pub const fn status(&self) -> u16 {
        self.status
    }

    /// Takes the next bytes. True once the body is complete: more bytes would not belong to it.
    pub fn take(&mut self, bytes: &[u8]) -> Result<bool, BadResponse> {
        match self.framing {
            Some(Framing::UntilClosed) => self.keep(bytes)?,
            Some(Framing::Length(length)) => {
                let missing = length.saturating_sub(self.body.len());
                self.keep(bytes.get(..missing).unwrap_or(bytes))?;
            }
            Some(Framing::Chunked(_)) => {
                self.unread.extend_from_slice(bytes);
                self.chunks()?;
            }
            None => {
                self.unread.extend_from_slice(bytes);
                let read = head(&self.unread, self.any_status)?;
                if let Some((status, framing, head)) = read.filter(|(_, _, head)| *head <= LONGEST_HEAD) {
                    self.status = status;
                    if let Framing::Length(length) = framing
                        && length > self.largest_body
                    {
                        return Err(BadResponse::TooLarge(self.largest_body));
                    }
                    self.framing = Some(framing);
                    let rest = self.unread.split_off(head.min(self.unread.len()));
                    self.unread.clear();
                    return self.take(&rest);
                }
                if self.unread.len() > LONGEST_HEAD {
                    return Err(BadResponse::TooLarge(LONGEST_HEAD));
                }
            }
        }
        Ok(self.is_complete())
    }

    /// The body, when the connection has ended or [`Self::take`] was true.
    pub fn finish(self) -> Result<Vec<u8>, BadResponse> {
        if self.is_complete() || self.framing == Some(Framing::UntilClosed) {
            Ok(self.body)
        } else {
            Err(BadResponse::BrokenOff)
        }
    }

    fn is_complete(&self) -> bool {
        match self.framing {
            Some(Framing::Length(length)) => self.body.len() >= length,
            Some(Framing::Chunked(chunk)) => chunk == Chunk::Over,
            Some(Framing::UntilClosed) | None => false,
        }
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), BadResponse> {
        if self.body.len().saturating_add(bytes.len()) > self.largest_body {
            return Err(BadResponse::TooLarge(self.largest_body));
        }
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    /// Moves what is readable of a chunked body from `unread` to `body`.
    fn chunks(&mut self) -> Result<(), BadResponse> {
        let unread = std::mem::take(&mut self.unread);
        let mut rest = unread.as_slice();
        while let Some(Framing::Chunked(chunk)) = self.framing {
            let next = match chunk {
                Chunk::Over => return Ok(()),
                Chunk::Bytes(missing) => {
                    let (bytes, after) = rest.split_at(missing.min(rest.len()));
                    self.keep(bytes)?;
                    rest = after;
                    match missing - bytes.len() {
                        0 => Chunk::End,
                        missing => {
                            self.framing = Some(Framing::Chunked(Chunk::Bytes(missing)));
                            return Ok(());
                        }
                    }
                }
                Chunk::Line | Chunk::End => {
                    let Some((line, after)) = line(rest)? else {
                        self.unread = rest.to_vec();
                        return Ok(());
                    };
                    rest = after;
                    match (chunk, line) {
                        (Chunk::End, "") => Chunk::Line,
                        (Chunk::End, _) => return Err(not_http("a chunk is longer than it said")),
                        (_, line) => match chunk_length(line)? {
                            0 => Chunk::Over,
                            length => Chunk::Bytes(length),
                        },
                    }
                }
            };
            self.framing = Some(Framing::Chunked(next));
        }
        Ok(())
    }
}

fn not_http(why: impl Into<String>) -> BadResponse {
    BadResponse::NotHttp(why.into())
}

/// The status, the framing and the length of the head, once it is all there.
fn head(bytes: &[u8], any_status: bool) -> Result<Option<(u16, Framing, usize)>, BadResponse> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut response = httparse::Response::new(&mut headers);
    let length = match response.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(not_http(error.to_string())),
    };
    let status = match response.code {
        Some(code) if code == 200 || any_status => code,
        Some(code) => return Err(BadResponse::Status(code)),
        None => return Err(not_http("there is no status")),
    };
    let (mut length_header, mut chunked) = (None, false);
    for header in response.headers.iter() {
        let value = str::from_utf8(header.value).unwrap_or_default().trim();
        if header.name.eq_ignore_ascii_case("content-length") {
            let value = value.parse::<usize>().map_err(|_| not_http("a length that is no number"))?;
            if length_header.replace(value).is_some_and(|earlier| earlier != value) {
                return Err(not_http("two lengths"));
            }
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            if !value.eq_ignore_ascii_case("chunked") {
                return Err(BadResponse::Encoded(value.to_owned()));
            }
            chunked = true;
        } else if header.name.eq_ignore_ascii_case("content-encoding")
            && !value.eq_ignore_ascii_case("identity")
        {
            return Err(BadResponse::Encoded(value.to_owned()));
        }
    }
    let framing = match (chunked, length_header) {
        (true, _) => Framing::Chunked(Chunk::Line),
        (false, Some(length)) => Framing::Length(length),
        (false, None) => Framing::UntilClosed,
    };
    Ok(Some((status, framing, length)))
}

/// The next line without its end, and what follows it.
fn line(bytes: &[u8]) -> Result<Option<(&str, &[u8])>, BadResponse> {
    let Some(end) = bytes.iter().take(LONGEST_CHUNK_LINE).position(|&byte| byte == b'\n') else {
        return if bytes.len() < LONGEST_CHUNK_LINE {
            Ok(None)
        } else {
            Err(not_http("a chunk's line never ends"))
        };
    };
    let (line, rest) = bytes.split_at(end);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let line = str::from_utf8(line).map_err(|_| not_http("a chunk's line is no text"))?;
    Ok(Some((line, rest.get(1..).unwrap_or_default())))
}

fn chunk_length(line: &str) -> Result<usize, BadResponse> {
    let digits = line.split(';').next().unwrap_or_default().trim();
    if digits.starts_with('+') {
        return Err(not_http("a chunk's length is no number"));
    }
    usize::from_str_radix(digits, 16).map_err(|_| not_http("a chunk's length is no number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Random;

    const LENGTH: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
    const CHUNKED: &str =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n";
    const CLOSED: &str = "HTTP/1.0 200 OK\r\n\r\nhello";

    fn read(pieces: &[&[u8]]) -> Result<Vec<u8>, BadResponse> {
        let mut response = Response::up_to(1 << 20);
        for piece in pieces {
            if response.take(piece)? {
                break;
            }
        }
        response.finish()
    }

    #[test]
    fn every_framing_gives_the_same_body_however_it_is_cut() {
        for text in [LENGTH, CHUNKED, CLOSED] {
            let bytes = text.as_bytes();
            let single: Vec<&[u8]> = bytes.chunks(1).collect();
            assert_eq!(read(&single).unwrap(), b"hello", "{text}");
            for cut in 0..bytes.len() {
                let (left, right) = bytes.split_at(cut);
                assert_eq!(read(&[left, right]).unwrap(), b"hello", "{text} cut at {cut}");
            }
        }
    }

    #[test]
    fn a_refusal_can_be_read_for_its_reason() {
        let mut response = Response::of_any_status(1 << 20);
        assert!(response.take(b"HTTP/1.1 422 No\r\ncontent-length: 3\r\n\r\nwhy").unwrap());
        assert_eq!((response.status(), response.finish().unwrap().as_slice()), (422, b"why".as_slice()));
    }

    #[test]
    fn an_answer_that_breaks_off_is_not_taken_for_a_shorter_one() {
        for text in [LENGTH, CHUNKED] {
            let head = text.find("\r\n\r\n").unwrap() + 4;
            for cut in head..=text.rfind("lo").unwrap() {
                assert_eq!(
                    read(&[&text.as_bytes()[..cut]]),
                    Err(BadResponse::BrokenOff),
                    "{text} cut at {cut}"
                );
            }
        }
    }

    #[test]
    fn what_is_announced_too_large_is_refused_before_it_comes() {
        let mut response = Response::up_to(10);
        let refused = response.take(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n");
        assert_eq!(refused, Err(BadResponse::TooLarge(10)));
    }

    #[test]
    fn what_grows_too_large_is_refused_on_the_way() {
        for head in
            ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffff\r\n"]
        {
            let mut response = Response::up_to(10);
            response.take(head.as_bytes()).unwrap();
            assert_eq!(response.take(&[b'x'; 11]), Err(BadResponse::TooLarge(10)));
        }
    }

    #[test]
    fn a_head_without_end_is_refused() {
        let mut response = Response::up_to(10);
        let mut taken = response.take(b"HTTP/1.1 200 OK\r\n");
        while taken == Ok(false) {
            taken = response.take(b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy");
        }
        assert_eq!(taken, Err(BadResponse::TooLarge(LONGEST_HEAD)));
    }

    #[test]
    fn redirects_and_errors_are_statuses() {
        assert_eq!(read(&[b"HTTP/1.1 302 Found\r\nlocation: /\r\n\r\n"]), Err(BadResponse::Status(302)));
        assert_eq!(read(&[b"HTTP/1.1 500 No\r\n\r\n"]), Err(BadResponse::Status(500)));
    }

    #[test]
    fn contradictions_and_codings_are_refused() {
        for bad in [
            "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 99999999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n+5\r\nhello\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhelloo\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
            "SSH-2.0-OpenSSH\r\n\r\n",
            "",
        ] {
            assert!(read(&[bad.as_bytes()]).is_err(), "{bad:?} was taken");
        }
    }

    #[test]
    fn any_bytes_end_in_a_value_or_an_error() {
        let seed = 17;
        let mut random = Random::seeded(seed);
        for round in 0..20_000 {
            let mut bytes = [LENGTH, CHUNKED, CLOSED][round % 3].as_bytes().to_vec();
            for _ in 0..random.below(6) {
                let place = random.below(bytes.len() as u64) as usize;
                bytes[place] = random.bits() as u8;
            }
            let cut = random.below(bytes.len() as u64) as usize;
            let _ = read(&[&bytes[..cut], &bytes[cut..]]);
        }
    }
}
