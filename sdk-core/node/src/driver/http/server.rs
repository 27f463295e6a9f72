//! A server for the few pages that others may ask of us: `/node_id`, `/state` of a master, and `/metrics` and
//! `/telemetry` for people.
//!
//! Off unless the app asks: exo's workers probe `/node_id`, and each answer becomes an edge that makes exo prefer us
//! to its own machines.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::{Semaphore, mpsc, oneshot},
    task::JoinHandle,
    time,
};

use crate::http::request::{Asked, asked};

/// exo's nodes ask every 10 s, each for itself.
const MOST_CONNECTIONS: usize = 16;
const TIMEOUT: Duration = Duration::from_secs(2);

const JSON: &str = "application/json";
/// What Prometheus calls its text.
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// What is served. What is absent is a 404.
#[derive(Debug, Default)]
pub(in crate::driver) struct Pages {
    node_id: Option<String>,
    state: Mutex<Option<Arc<[u8]>>>,
    telemetry: Option<mpsc::Sender<Inquiry>>,
}

/// A page that is only made when somebody asks for it.
#[derive(Debug)]
pub(in crate::driver) enum Inquiry {
    /// `/metrics`.
    Metrics(oneshot::Sender<Vec<u8>>),
    /// `/telemetry`.
    Telemetry(oneshot::Sender<Vec<u8>>),
}

impl Pages {
    /// Pages with this at `/node_id`.
    pub(in crate::driver) fn of(node_id: Option<&str>) -> Arc<Self> {
        let node_id = node_id.map(|id| format!("\"{id}\""));
        Arc::new(Self { node_id, ..Self::default() })
    }

    /// Pages that are asked of the one behind this.
    pub(in crate::driver) fn asking(telemetry: mpsc::Sender<Inquiry>) -> Arc<Self> {
        Arc::new(Self { telemetry: Some(telemetry), ..Self::default() })
    }

    /// Puts a new `/state` up.
    pub(in crate::driver) fn show_state(&self, json: Arc<[u8]>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = Some(json);
    }

    async fn page(&self, path: &str) -> Option<(&'static str, Arc<[u8]>)> {
        let page = match path {
            "/node_id" => self.node_id.as_ref()?.as_bytes().into(),
            "/state" => self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()?,
            "/metrics" => return Some((PROMETHEUS, self.ask(Inquiry::Metrics).await?)),
            "/telemetry" => self.ask(Inquiry::Telemetry).await?,
            _ => return None,
        };
        Some((JSON, page))
    }

    async fn ask(&self, about: fn(oneshot::Sender<Vec<u8>>) -> Inquiry) -> Option<Arc<[u8]>> {
        let (answer, answered) = oneshot::channel();
        self.telemetry.as_ref()?.send(about(answer)).await.ok()?;
        answered.await.ok().map(Into::into)
    }
}

/// A server that runs until it is dropped.
#[derive(Debug)]
pub(in crate::driver) struct Server {
    address: SocketAddr,
    serving: JoinHandle<()>,
}

impl Server {
    /// Serves the pages at this address; port 0 lets the system choose.
    pub(in crate::driver) async fn start(address: SocketAddr, pages: Arc<Pages>) -> Result<Self, String> {
        let words = |error: std::io::Error| format!("{address} cannot be served: {error}");
        let listener = TcpListener::bind(address).await.map_err(words)?;
        let address = listener.local_addr().map_err(words)?;
        Ok(Self { address, serving: tokio::spawn(serve(listener, pages)) })
    }

    /// Where it listens.
    pub(in crate::driver) const fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(listener: TcpListener, pages: Arc<Pages>) {
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // Nobody is accepted while all places are taken: the system's own queue holds a few, then refuses.
        let Ok(place) = places.clone().acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let pages = pages.clone();
        tokio::spawn(async move {
            let _ = time::timeout(TIMEOUT, answer(stream, &pages)).await;
            drop(place);
        });
    }
}

async fn answer(mut stream: TcpStream, pages: &Pages) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut piece = [0; 1024];
    let (status, page) = loop {
        let length = stream.read(&mut piece).await?;
        request.extend_from_slice(piece.get(..length).unwrap_or_default());
        match asked(&request) {
            Asked::Unfinished if length > 0 => {}
            Asked::Get(path) => match pages.page(&path).await {
                Some(page) => break ("200 OK", Some(page)),
                None => break ("404 Not Found", None),
            },
            Asked::Other => break ("405 Method Not Allowed", None),
            Asked::Unfinished | Asked::Nonsense => break ("400 Bad Request", None),
        }
    };
    let (kind, body) = page.unwrap_or_else(|| (JSON, Arc::default()));
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(&body).await?;
    stream.shutdown().await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::http::get;

    async fn serving(node_id: Option<&str>) -> (Server, Arc<Pages>) {
        let pages = Pages::of(node_id);
        let server = Server::start(SocketAddr::from(([127, 0, 0, 1], 0)), pages.clone()).await.unwrap();
        (server, pages)
    }

    async fn said(server: &Server, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(bytes).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer).await;
        answer.lines().next().unwrap_or_default().to_owned()
    }

    #[tokio::test]
    async fn the_node_id_is_a_json_string_as_exo_serves_it() {
        let (server, _) = serving(Some("abc123")).await;
        assert_eq!(get(server.address(), "/node_id").await.unwrap(), b"\"abc123\"");
    }

    #[tokio::test]
    async fn the_state_is_what_was_last_put_up() {
        let (server, pages) = serving(None).await;
        assert!(get(server.address(), "/state").await.is_err());
        pages.show_state(Arc::from(*b"{}"));
        assert_eq!(get(server.address(), "/state").await.unwrap(), b"{}");
        assert!(get(server.address(), "/node_id").await.is_err());
    }

    #[tokio::test]
    async fn nonsense_gets_a_short_answer() {
        let (server, _) = serving(Some("a")).await;
        assert_eq!(said(&server, b"POST /node_id HTTP/1.1\r\n\r\n").await, "HTTP/1.1 405 Method Not Allowed");
        assert_eq!(said(&server, b"GET /etc/passwd HTTP/1.1\r\n\r\n").await, "HTTP/1.1 404 Not Found");
        assert_eq!(said(&server, b"\x16\x03\x01").await, "HTTP/1.1 400 Bad Request");
        assert_eq!(said(&server, b"GET /node_id").await, "HTTP/1.1 400 Bad Request");
    }

    #[tokio::test]
    async fn idle_visitors_do_not_lock_others_out_for_long() {
        let (server, _) = serving(Some("a")).await;
        let mut idle = Vec::new();
        for _ in 0..MOST_CONNECTIONS * 2 {
            idle.push(TcpStream::connect(server.address()).await.unwrap());
        }
        drop(idle.split_off(MOST_CONNECTIONS));
        assert!(get(server.address(), "/node_id").await.is_ok());
    }

    #[tokio::test]
    async fn a_dropped_server_serves_nobody() {
        let (server, _) = serving(Some("a")).await;
        let address = server.address();
        drop(server);
        tokio::task::yield_now().await;
        assert!(get(address, "/node_id").await.is_err());
    }
}
