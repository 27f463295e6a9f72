//! `OpenAI`'s chat completions on loopback, with a tiny model, through real sockets.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

mod sockets;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_mins(1);

/// The program, stopped when the test ends, whatever happens.
struct Server {
    program: Child,
    authority: String,
    model: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.program.kill();
        let _ = self.program.wait();
    }
}

struct Answer {
    status: u16,
    body: String,
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// What was sent in pieces, without the end.
    fn pieces(&self) -> Vec<Value> {
        let mut lines: Vec<&str> = self.body.split("\n\n").filter(|line| !line.is_empty()).collect();
        assert_eq!(lines.pop(), Some("data: [DONE]"));
        lines.iter().map(|line| serde_json::from_str(line.strip_prefix("data: ").unwrap()).unwrap()).collect()
    }
}

impl Server {
    fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_exo-phone"));
        command.args(["serve", "--tiny", "--backend", "cpu", "--openai", "0", "--json", "--seconds", "120"]);
        let mut program = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let line: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["kind"], "serving");
        let url = line["url"].as_str().unwrap();
        let authority = url.strip_prefix("http://").unwrap().strip_suffix("/v1").unwrap().to_owned();
        Self { program, authority, model: line["model"].as_str().unwrap().to_owned() }
    }

    fn send(&self, request: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.authority).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    fn raw(&self, request: &str) -> Answer {
        let mut text = String::new();
        self.send(request).read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        Answer { status: head.split(' ').nth(1).unwrap().parse().unwrap(), body: body.to_owned() }
    }

    fn post(&self, body: &str) -> String {
        let (host, length) = (&self.authority, body.len());
        format!(
            "POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        )
    }

    fn get(&self, path: &str) -> Answer {
        self.raw(&format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.authority))
    }

    fn ask(&self, more: &Value) -> Answer {
        self.raw(&self.post(&question(more)))
    }
}

/// A question, answered by the likeliest tokens.
fn question(more: &Value) -> String {
    let messages = json!([{"role": "user", "content": "tell me of the quiet river and the old stone road"}]);
    let mut question = json!({"messages": messages, "max_tokens": 12, "temperature": 0});
    for (key, value) in more.as_object().unwrap() {
        question[key] = value.clone();
    }
    question.to_string()
}

fn content(whole: &Value) -> &str {
    whole["choices"][0]["message"]["content"].as_str().unwrap()
}

#[test]
fn an_answer_is_the_same_whole_and_in_pieces_and_has_its_bill() {
    let server = Server::start();
    let models = server.get("/v1/models").json();
    assert_eq!(
        (models["data"][0]["id"].as_str(), models["object"].as_str()),
        (Some(&*server.model), Some("list"))
    );

    let whole = server.ask(&json!({"model": server.model}));
    assert_eq!(whole.status, 200);
    let whole = whole.json();
    assert_eq!((whole["object"].as_str(), content(&whole).is_empty()), (Some("chat.completion"), false));
    let usage = &whole["usage"];
    assert_eq!(usage["completion_tokens"], 12);
    assert_eq!(
        usage["total_tokens"].as_u64(),
        Some(usage["prompt_tokens"].as_u64().unwrap() + usage["completion_tokens"].as_u64().unwrap())
    );
    assert_eq!(whole["choices"][0]["finish_reason"], "length");

    let answer = server.ask(&json!({"stream": true, "stream_options": {"include_usage": true}}));
    let mut pieces = answer.pieces();
    let bill = pieces.pop().unwrap();
    assert_eq!((&bill["choices"], &bill["usage"]["completion_tokens"]), (&json!([]), &json!(12)));
    assert!(
        bill["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64() >= Some(32),
        "asked before: {bill}"
    );
    assert_eq!(pieces[0]["choices"][0]["delta"]["role"], "assistant");
    let said: String =
        pieces.iter().filter_map(|piece| piece["choices"][0]["delta"]["content"].as_str()).collect();
    assert_eq!(said, content(&whole));
    assert!(pieces.len() >= 12, "a piece for each token");
    assert!(pieces.iter().all(|piece| piece["id"] == pieces[0]["id"]));
    assert_eq!(pieces.last().unwrap()["choices"][0]["finish_reason"], "length");
    assert!(pieces[..pieces.len() - 1].iter().all(|piece| piece["choices"][0]["finish_reason"].is_null()));
}

#[test]
fn stops_and_probabilities_are_as_they_were_asked_for() {
    let server = Server::start();
    let whole = server.ask(&json!({"logprobs": true, "top_logprobs": 3})).json();
    let likely = whole["choices"][0]["logprobs"]["content"].as_array().unwrap();
    assert_eq!(likely.len(), 12);
    assert!(likely.iter().all(|it| it["logprob"].as_f64() <= Some(0.0)));
    assert!(likely.iter().all(|it| it["top_logprobs"].as_array().map(Vec::len) == Some(3)));

    let stop = content(&whole).split_whitespace().nth(2).unwrap().to_owned();
    let cut = server.ask(&json!({"stop": [stop]})).json();
    assert!(content(&whole).starts_with(content(&cut)) && !content(&cut).contains(&stop));
    assert_eq!(cut["choices"][0]["finish_reason"], "stop");
    assert!(cut["choices"][0]["logprobs"].is_null());
}

#[test]
fn what_cannot_be_answered_is_refused_in_openais_shape() {
    let server = Server::start();
    let refused = |answer: &Answer, status: u16, param: Option<&str>| {
        let error = answer.json()["error"].clone();
        assert_eq!((answer.status, error["param"].as_str()), (status, param), "{error}");
        assert_eq!(error["type"], "invalid_request_error");
        assert!(error["message"].as_str().is_some_and(|words| !words.is_empty()));
    };
    refused(&server.raw(&server.post("{")), 400, None);
    refused(&server.raw(&server.post("{}")), 400, Some("messages"));
    refused(&server.ask(&json!({"model": "gpt-4"})), 404, Some("model"));
    refused(&server.ask(&json!({"n": 2})), 400, Some("n"));
    refused(&server.ask(&json!({"temperature": -1})), 400, Some("temperature"));
    refused(&server.ask(&json!({"top_logprobs": 101, "logprobs": true})), 400, Some("top_logprobs"));
    refused(
        &server.ask(&json!({"messages": [{"role": "user", "content": "long ".repeat(5000)}]})),
        400,
        Some("prompt"),
    );
    refused(&server.get("/v1/chat/completions"), 405, None);
    refused(&server.get("/"), 404, None);
    refused(&server.raw("GET /v1/models HTTP/1.1\r\nHost: elsewhere.example\r\n\r\n"), 403, None);
    assert_eq!(server.ask(&json!({})).status, 200, "it goes on");
}

#[test]
fn whoever_hangs_up_is_not_computed_for_any_more() {
    let server = Server::start();
    let long = server.post(&question(&json!({"max_tokens": 3500, "stream": true})));
    let whole = server.post(&question(&json!({"max_tokens": 3500})));
    // So many that one context holds few of them at a time: they would take minutes.
    let streams: Vec<TcpStream> =
        (0..8).map(|number| server.send(if number < 6 { &long } else { &whole })).collect();
    let mut first = [0; 1];
    streams[0].try_clone().unwrap().read_exact(&mut first).unwrap();
    assert!(server.is_busy(), "the test looks at nothing");
    drop(streams);
    let began = Instant::now();
    while server.is_busy() {
        assert!(began.elapsed() < Duration::from_secs(5), "it still computes");
    }
    assert_eq!(server.ask(&json!({})).status, 200);
}

#[test]
fn nothing_but_loopback_is_listened_at() {
    let server = Server::start();
    let sockets = sockets::of(server.program.id());
    assert!(!sockets.is_empty(), "no socket was seen: the test looks at nothing");
    for socket in &sockets {
        assert!(socket.local.is_loopback() && !socket.is_udp, "{socket:?}");
        assert!(socket.remote.is_none(), "{socket:?} leads elsewhere");
        assert!(server.authority.ends_with(&format!(":{}", socket.port)), "{socket:?}");
    }
}

impl Server {
    /// Whether it used a processor just now.
    fn is_busy(&self) -> bool {
        let before = self.ticks();
        thread::sleep(Duration::from_millis(300));
        self.ticks() - before > 1
    }

    /// Hundredths of a second of processor time.
    fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.program.id())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    }
}
