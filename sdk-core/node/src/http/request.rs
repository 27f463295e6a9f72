//! Reading a request: a path, or nothing.

/// The longest request that is read.
pub const LONGEST_REQUEST: usize = 4 << 10;

/// What a client wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asked {
    /// The page at this path, without its query.
    Get(String),
    /// Something that we do not do.
    Other,
    /// More bytes are needed to know.
    Unfinished,
    /// Not HTTP, or too long.
    Nonsense,
}

/// Reads what has come so far.
pub fn asked(bytes: &[u8]) -> Asked {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(bytes) {
        Ok(httparse::Status::Complete(_)) => match (request.method, request.path) {
            (Some("GET"), Some(path)) => {
                Asked::Get(path.split(['?', '#']).next().unwrap_or_default().to_owned())
            }
            _ => Asked::Other,
        },
        Ok(httparse::Status::Partial) if bytes.len() < LONGEST_REQUEST => Asked::Unfinished,
        Ok(httparse::Status::Partial) | Err(_) => Asked::Nonsense,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_get_is_its_path_without_the_query() {
        let get = asked(b"GET /node_id?x=1 HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!(get, Asked::Get("/node_id".into()));
    }

    #[test]
    fn everything_else_is_told_apart() {
        assert_eq!(asked(b"POST /state HTTP/1.1\r\n\r\n"), Asked::Other);
        assert_eq!(asked(b"GET /node_id HT"), Asked::Unfinished);
        assert_eq!(asked(b"\x16\x03\x01\x00"), Asked::Nonsense);
        assert_eq!(asked(&[b'G'; LONGEST_REQUEST]), Asked::Nonsense);
    }
}
