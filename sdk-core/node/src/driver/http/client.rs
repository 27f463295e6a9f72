//! `GET`, bounded in time and size.

use std::{net::SocketAddr, time::Duration};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time,
};

use crate::http::response::Response;

/// exo's state is about 130 kB a node.
const LARGEST_BODY: usize = 32 << 20;
const TIMEOUT: Duration = Duration::from_secs(5);
const PIECE: usize = 16 << 10;

/// The body of a 200, or in words what came instead. Never follows a redirect, never takes longer than 5 s.
pub(in crate::driver) async fn get(address: SocketAddr, path: &str) -> Result<Vec<u8>, String> {
    get_within(address, path, TIMEOUT, LARGEST_BODY).await
}

async fn get_within(
    address: SocketAddr,
    path: &str,
    timeout: Duration,
    largest: usize,
) -> Result<Vec<u8>, String> {
    time::timeout(timeout, exchange(address, path, largest))
        .await
        .map_err(|_| format!("{address} did not answer within {} s", timeout.as_secs_f32()))?
        .map_err(|why| format!("GET http://{address}{path}: {why}"))
}

async fn exchange(address: SocketAddr, path: &str, largest: usize) -> Result<Vec<u8>, String> {
    let words = |error: std::io::Error| error.to_string();
    let mut stream = TcpStream::connect(address).await.map_err(words)?;
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {}\r\naccept: application/json\r\naccept-encoding: identity\r\n\
         connection: close\r\n\r\n",
        host(address)
    );
    stream.write_all(request.as_bytes()).await.map_err(words)?;
    let mut response = Response::up_to(largest);
    let mut piece = vec![0; PIECE];
    loop {
        let length = stream.read(&mut piece).await.map_err(words)?;
        let bytes = piece.get(..length).unwrap_or_default();
        if length == 0 || response.take(bytes).map_err(|bad| bad.to_string())? {
            return response.finish().map_err(|bad| bad.to_string());
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
}
