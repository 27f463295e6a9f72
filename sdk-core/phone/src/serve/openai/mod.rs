//! `OpenAI`'s chat completions for programs on this computer: one model, no cluster.
//!
//! A thread a connection, one request each; the host of the model computes. Only 127.0.0.1 is listened at.

mod answer;
mod asked;
mod http;
mod refusal;

use std::{
    io::{self, Read},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::{self, Sender},
    },
    thread,
    time::Duration,
};

use exo_serving::{AnswerNews, Error, Lease};
use serde_json::{Value, json};

use answer::Answer;
use asked::Asked;
use http::Request;
use refusal::Refusal;

/// More at once than a model on one device answers in useful time.
const MOST_CONNECTIONS: usize = 32;
/// A client that takes nothing for so long has gone.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);

/// Listens on loopback, and answers for as long as the process lives. Where it listens.
pub(crate) fn listen(port: u16, model: &str, lease: Lease) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    let server = Arc::new(Server { model: model.to_owned(), lease, connections: AtomicUsize::new(0) });
    let accept = move || {
        for stream in listener.incoming() {
            // A connection that broke before it was taken is nobody's loss.
            let Ok(stream) = stream else { continue };
            let server = server.clone();
            let answer = move || server.connection(stream);
            let _ = thread::Builder::new().name("exo-http".into()).spawn(answer);
        }
    };
    thread::Builder::new().name("exo-listener".into()).spawn(accept)?;
    Ok(address)
}

struct Server {
    model: String,
    lease: Lease,
    connections: AtomicUsize,
}

impl Server {
    fn connection(&self, mut stream: TcpStream) {
        let others = self.connections.fetch_add(1, Ordering::Relaxed);
        let _ = stream.set_write_timeout(Some(TAKEN_WITHIN));
        let _ = stream.set_nodelay(true);
        // Whoever cannot be written to has gone.
        let _ = if others < MOST_CONNECTIONS {
            self.serve(&mut stream)
        } else {
            let busy = Refusal::of_page(503, "too many ask at once: ask again");
            refuse(&mut stream, &busy)
        };
        let _ = stream.shutdown(Shutdown::Both);
        self.connections.fetch_sub(1, Ordering::Relaxed);
    }

    fn serve(&self, stream: &mut TcpStream) -> io::Result<()> {
        match http::read(stream) {
            Ok(Some(request)) => match self.route(stream, &request)? {
                Ok(()) => Ok(()),
                Err(refusal) => refuse(stream, &refusal),
            },
            Ok(None) => Ok(()),
            Err(bad) => refuse(stream, &bad.into()),
        }
    }

    /// The outer result is the client's connection, the inner one what is told it.
    fn route(&self, stream: &mut TcpStream, request: &Request) -> io::Result<Result<(), Refusal>> {
        match (request.method.as_str(), request.path.as_str()) {
            ("GET", "/v1/models") => {
                let model =
                    json!({"id": self.model, "object": "model", "created": 0, "owned_by": "exo-phone"});
                http::whole(stream, 200, &json!({"object": "list", "data": [model]}).to_string()).map(Ok)
            }
            ("POST", "/v1/chat/completions") => match asked::read(&request.body, &self.model) {
                Ok(asked) => self.answer(stream, asked),
                Err(refusal) => Ok(Err(refusal)),
            },
            (_, "/v1/models" | "/v1/chat/completions") => {
                Ok(Err(Refusal::of_page(405, "GET /v1/models, and POST /v1/chat/completions")))
            }
            _ => Ok(Err(Refusal::of_page(404, "there are /v1/models and /v1/chat/completions here"))),
        }
    }

    fn answer(&self, stream: &mut TcpStream, asked: Asked) -> io::Result<Result<(), Refusal>> {
        let (tell, told) = mpsc::channel();
        watch(stream, tell.clone())?;
        // Dropped with this call: a client that goes away takes its question back.
        let _question = self.lease.ask(asked.request, move |news| drop(tell.send(Told::News(news))));
        let mut answer = Answer::new(&self.model);
        // Once something was computed for it, it was taken: what is refused is refused before the first byte.
        let mut is_begun = false;
        while !answer.is_over() {
            let event = match told.recv() {
                Ok(Told::News(AnswerNews::Said(event))) => Some(event),
                Ok(Told::News(AnswerNews::Reading { .. })) => None,
                Ok(Told::News(AnswerNews::Failed(error))) if is_begun => {
                    return http::piece(stream, &Refusal::from(&error).json().to_string()).map(Ok);
                }
                Ok(Told::News(AnswerNews::Failed(error))) => return Ok(Err(Refusal::from(&error))),
                Ok(Told::HungUp) => return Err(io::ErrorKind::ConnectionAborted.into()),
                Err(mpsc::RecvError) => return Ok(Err(Refusal::from(&Error::Closed))),
            };
            if asked.stream && !std::mem::replace(&mut is_begun, asked.stream) {
                http::pieces(stream)?;
            }
            let Some(piece) = event.map(|event| answer.take(event)) else { continue };
            if asked.stream {
                http::piece(stream, &piece.to_string())?;
            }
        }
        if !asked.stream {
            return http::whole(stream, 200, &answer.whole().to_string()).map(Ok);
        }
        if asked.include_usage {
            http::piece(stream, &answer.bill().to_string())?;
        }
        http::piece(stream, "[DONE]").map(Ok)
    }
}

/// What comes to whoever waits for an answer.
enum Told {
    News(AnswerNews),
    /// The client went away.
    HungUp,
}

/// Sees the client go, which nobody who waits for tokens would.
fn watch(stream: &TcpStream, tell: Sender<Told>) -> io::Result<()> {
    let mut stream = stream.try_clone()?;
    stream.set_read_timeout(None)?;
    let look = move || {
        let mut scrap = [0; 256];
        // Nothing more is expected of it: what comes is passed over until it goes, or until we close.
        while stream.read(&mut scrap).is_ok_and(|count| count > 0) {}
        let _ = tell.send(Told::HungUp);
    };
    thread::Builder::new().name("exo-watcher".into()).spawn(look)?;
    Ok(())
}

fn refuse(stream: &mut TcpStream, refusal: &Refusal) -> io::Result<()> {
    let json: Value = refusal.json();
    http::whole(stream, refusal.status, &json.to_string())
}
