//! `GET` and `POST`, bounded in time and size.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};

use crate::http::response::Response;

/// exo's state is about 130 kB a node.
const LARGEST_BODY: usize = 32 << 20;
/// What exo answers to a command is a card and a few words.
const LARGEST_ANSWER: usize = 1 << 20;
/// A node's id is a line.
const LARGEST_LINE: usize = 4 << 10;
const TIMEOUT: Duration = Duration::from_secs(5);
/// exo holds commands back while it elects a master, which was seen to take 5.5 s.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(15);
const PIECE: usize = 16 << 10;

/// The body of a 200, or in words what came instead. Never follows a redirect, never takes longer than 5 s.
pub(in crate::driver) async fn get(address: SocketAddr, path: &str) -> Result<Vec<u8>, String> {
    get_within(address, path, TIMEOUT, LARGEST_BODY).await
}

/// The same where the answer is no longer than a line: whoever is there may be anybody.
pub(in crate::driver) async fn get_line(address: SocketAddr, path: &str) -> Result<Vec<u8>, String> {
    get_within(address, path, TIMEOUT, LARGEST_LINE).await
}

async fn get_within(
    address: SocketAddr,
    path: &str,
    timeout: Duration,
    largest: usize,
) -> Result<Vec<u8>, String> {
    let request = head("GET", address, path, "");
    let exchange = async {
        let stream = TcpStream::connect(address).await.map_err(|error| error.to_string())?;
        let (_, body) = exchange(stream, request.as_bytes(), Response::up_to(largest)).await?;
        Ok(body)
    };
    time::timeout(timeout, exchange)
        .await
        .map_err(|_| format!("{address} did not answer within {} s", timeout.as_secs_f32()))?
        .map_err(|why: String| format!("GET http://{address}{path}: {why}"))
}

/// What came of a `POST`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::driver) enum Posted {
    /// An answer of any status, and its body.
    Answered(u16, Vec<u8>),
    /// There was no connection: nothing was asked.
    NotSent(String),
    /// It was sent, and no answer came: nobody knows what became of it.
    Unanswered(String),
}

/// Sends JSON. It is sent once and never again: whoever asks knows whether that would do harm.
pub(in crate::driver) async fn post(address: SocketAddr, path: &str, json: &[u8]) -> Posted {
    post_within(address, path, json, COMMAND_TIMEOUT).await
}

async fn post_within(address: SocketAddr, path: &str, json: &[u8], timeout: Duration) -> Posted {
    let say = |why: String| format!("POST http://{address}{path}: {why}");
    let stream = match time::timeout(TIMEOUT.min(timeout), TcpStream::connect(address)).await {
        Ok(Ok(stream)) => stream,
        Ok(Err(error)) => return Posted::NotSent(say(error.to_string())),
        Err(_) => return Posted::NotSent(say("no connection".to_owned())),
    };
    let fields = format!("content-type: application/json\r\ncontent-length: {}\r\n", json.len());
    let mut request = head("POST", address, path, &fields).into_bytes();
    request.extend_from_slice(json);
    let response = Response::of_any_status(LARGEST_ANSWER);
    match time::timeout(timeout, exchange(stream, &request, response)).await {
        Ok(Ok((status, body))) => Posted::Answered(status, body),
        Ok(Err(why)) => Posted::Unanswered(say(why)),
        Err(_) => Posted::Unanswered(say(format!("no answer within {} s", timeout.as_secs_f32()))),
    }
}

fn head(method: &str, address: SocketAddr, path: &str, fields: &str) -> String {
    let host = host(address);
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\naccept: application/json\r\naccept-encoding: identity\r\n\
         {fields}connection: close\r\n\r\n"
    )
}

async fn exchange(
    mut stream: TcpStream,
    request: &[u8],
    mut response: Response,
) -> Result<(u16, Vec<u8>), String> {
    let words = |error: std::io::Error| error.to_string();
    stream.write_all(request).await.map_err(words)?;
    let mut piece = vec![0; PIECE];
    loop {
        let length = stream.read(&mut piece).await.map_err(words)?;
        let bytes = piece.get(..length).unwrap_or_default();
        if length == 0 || response.take(bytes).map_err(|bad| bad.to_string())? {
            let status = response.status();
            return response.finish().map(|body| (status, body)).map_err(|bad| bad.to_string());
        }
    }
}

/// The address without a scope, which means nothing to the other side.
fn host(address: SocketAddr) -> SocketAddr {
    SocketAddr::new(address.ip(), address.port())
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// A server on loopback that answers each connection with these bytes, then keeps it open or closes it.
    async fn answering(bytes: &'static [u8], keeps_open: bool) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = [0; 1024];
            let _ = stream.read(&mut request).await;
            let _ = stream.write_all(bytes).await;
            if keeps_open {
                let _ = stream.read(&mut request).await;
            }
        });
        address
    }

    #[tokio::test]
    async fn a_complete_answer_is_not_waited_on() {
        let address = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", true).await;
        assert_eq!(get(address, "/state").await.unwrap(), b"{}");
    }

    #[tokio::test]
    async fn a_server_that_says_nothing_costs_the_timeout_and_no_more() {
        let address = answering(b"HTTP/1.1 200 OK\r\n", true).await;
        let error = get_within(address, "/state", Duration::from_millis(50), 100).await.unwrap_err();
        assert!(error.contains("did not answer"), "{error}");
    }

    #[tokio::test]
    async fn a_server_that_never_stops_is_cut_off() {
        let address =
            answering(b"HTTP/1.1 200 OK\r\n\r\nxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", true).await;
        let error = get_within(address, "/state", TIMEOUT, 10).await.unwrap_err();
        assert!(error.contains("larger than 10 bytes"), "{error}");
    }

    #[tokio::test]
    async fn nobody_there_is_said_plainly() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let error = get(free, "/state").await.unwrap_err();
        assert!(error.starts_with(&format!("GET http://{free}/state: ")), "{error}");
    }

    #[tokio::test]
    async fn a_refusal_of_a_post_is_an_answer_with_its_reason() {
        let address = answering(b"HTTP/1.1 400 Bad\r\ncontent-length: 3\r\n\r\nwhy", true).await;
        let posted = post(address, "/instance", b"{}").await;
        assert_eq!(posted, Posted::Answered(400, b"why".to_vec()));
    }

    #[tokio::test]
    async fn a_post_that_nobody_took_is_told_from_one_that_nobody_answered() {
        let free = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        assert!(matches!(post(free, "/instance", b"{}").await, Posted::NotSent(_)));
        let cut = answering(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{", false).await;
        assert!(matches!(post(cut, "/instance", b"{}").await, Posted::Unanswered(_)));
        let silent = answering(b"", true).await;
        let waited = post_within(silent, "/instance", b"{}", Duration::from_millis(50)).await;
        assert!(matches!(waited, Posted::Unanswered(why) if why.contains("no answer within")));
    }

    #[tokio::test]
    async fn the_whole_body_is_sent_once_with_its_length() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let body = [vec![b'x'; 199_999], vec![b'!']].concat();
        let heard = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            let mut piece = [0; 4096];
            while !heard.ends_with(b"!") {
                let length = stream.read(&mut piece).await.unwrap();
                heard.extend_from_slice(&piece[..length]);
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
            String::from_utf8(heard).unwrap()
        });
        assert_eq!(post(address, "/instance", &body).await, Posted::Answered(200, b"{}".to_vec()));
        let heard = heard.await.unwrap();
        assert!(heard.starts_with("POST /instance HTTP/1.1\r\n"), "{}", &heard[..100]);
        assert!(heard.contains("content-type: application/json\r\ncontent-length: 200000\r\n"));
    }
}
