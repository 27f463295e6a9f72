//! `OpenAI`'s chat completions for programs on this computer: one model, no cluster.
//!
//! A thread a connection, one request each, and one thread that computes. Only 127.0.0.1 is listened at.

mod answer;
mod asked;
mod desk;
mod http;
mod refusal;

use std::{
    io::{self, Read},
    net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
        mpsc::Sender,
    },
    thread,
    time::Duration,
};

use exo_engine::Engine;
use serde_json::{Value, json};

use answer::Answer;
use asked::Asked;
use desk::{Conversation, Desk, Told};
use http::Request;
use refusal::Refusal;

/// More at once than a model on one device answers in useful time.
const MOST_CONNECTIONS: usize = 32;
/// A client that takes nothing for so long has gone.
const TAKEN_WITHIN: Duration = Duration::from_secs(30);

/// Listens on loopback, and answers for as long as the process lives. Where it listens.
pub(crate) fn listen(port: u16, model: &str, engine: Engine) -> io::Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
    let address = listener.local_addr()?;
    let server = Arc::new(Server {
        model: model.to_owned(),
        desk: Desk::open(engine)?,
        connections: AtomicUsize::new(0),
    });
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
    desk: Desk,
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
        let conversation = self.desk.ask(asked.request);
        watch(stream, conversation.tell.clone())?;
        let mut answer = Answer::new(&self.model);
        match next(&conversation)? {
            Ok(None) => {}
            Ok(Some(_)) => return Ok(Err(lost())),
            Err(refusal) => return Ok(Err(refusal)),
        }
        if asked.stream {
            http::pieces(stream)?;
        }
        while !answer.is_over() {
            let piece = match next(&conversation)? {
                Ok(Some(event)) => answer.take(event),
                Ok(None) => continue,
                Err(refusal) if asked.stream => {
                    return http::piece(stream, &refusal.json().to_string()).map(Ok);
                }
                Err(refusal) => return Ok(Err(refusal)),
            };
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

/// What comes next of an answer: nothing yet, a piece, or why there is none. An error if nobody waits for it.
fn next(conversation: &Conversation) -> io::Result<Result<Option<exo_engine::chat::Event>, Refusal>> {
    Ok(match conversation.told.recv() {
        Ok(Told::Taken) => Ok(None),
        Ok(Told::Event(event)) => Ok(Some(event)),
        Ok(Told::Failed(error)) => Err(Refusal::from(&error)),
        Ok(Told::HungUp) => return Err(io::ErrorKind::ConnectionAborted.into()),
        Ok(Told::Closed) | Err(_) => Err(lost()),
    })
}

fn lost() -> Refusal {
    Refusal::of_page(500, "the engine broke: start exo-phone again, and report it")
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
