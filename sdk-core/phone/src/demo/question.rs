//! One question to one of the phones, through the interface that programs use.

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpStream},
    time::{Duration, Instant},
};

use exo_gpu::{BackendKind, Gpu, OpenOptions};
use exo_serving::{Host, Settings};
use serde_json::{Value, json};
use tokio::{sync::mpsc, task};

use crate::{
    serve::{
        openai,
        shelf::{Place, TINY},
    },
    watch::{Happening, What},
};

const QUESTION: &str = "What is rain?";
const TOKENS: u32 = 24;
/// Words of the answer that are shown together.
const TOGETHER: usize = 8;
/// Nobody waits longer for a model of this size.
const PATIENCE: Duration = Duration::from_secs(20);

/// Gives the phone a tiny model and asks it something. It goes on answering until the program ends.
pub(super) async fn ask(
    phone: &'static str,
    began: Instant,
    tell: &mpsc::Sender<Happening>,
) -> Result<(), String> {
    let tell = tell.clone();
    let said = task::spawn_blocking(move || {
        let mut note = |text: String| {
            let (at, phone) = (began.elapsed(), Some(phone.to_owned()));
            let _ = tell.try_send(Happening { at, phone, what: What::Note(text) });
        };
        let address = serve()?;
        note(format!(
            "{TINY} answers at http://{address}/v1; its weights are random, so its words mean nothing"
        ));
        note(format!("somebody asks: {QUESTION}"));
        let (pieces, took) = answer(address, &mut note)?;
        note(format!("{pieces} pieces, the first after {} ms", took.as_millis()));
        Ok(())
    });
    said.await.map_err(|error| error.to_string())?
}

fn serve() -> Result<SocketAddr, String> {
    let place = Place::tiny(TINY)?;
    let gpu = Gpu::open(OpenOptions::new().backend(BackendKind::Cpu)).map_err(|error| error.to_string())?;
    let host = Host::start(gpu, place.shelf(), Settings::default()).map_err(|error| error.to_string())?;
    let (lease, _) = host.load_and_wait(&place.model).map_err(|error| error.to_string())?;
    openai::listen(0, TINY, lease).map_err(|error| error.to_string())
}

/// Asks, and shows the words as they come. How many pieces there were, and when the first came.
fn answer(address: SocketAddr, note: &mut impl FnMut(String)) -> Result<(usize, Duration), String> {
    let asked = Instant::now();
    let lines = BufReader::new(send(address).map_err(|error| error.to_string())?).lines();
    let (mut words, mut pieces, mut first) = (String::new(), 0, None);
    for line in lines {
        let line = line.map_err(|error| error.to_string())?;
        let Some(data) = line.strip_prefix("data: ").filter(|data| *data != "[DONE]") else { continue };
        let piece: Value = serde_json::from_str(data).map_err(|error| error.to_string())?;
        first.get_or_insert_with(|| asked.elapsed());
        pieces += 1;
        words.push_str(piece["choices"][0]["delta"]["content"].as_str().unwrap_or_default());
        if words.split_whitespace().count() >= TOGETHER || piece["choices"][0]["finish_reason"].is_string() {
            note(format!("… {}", words.trim()));
            words.clear();
        }
    }
    first.map(|first| (pieces, first)).ok_or_else(|| "the phone did not answer".to_owned())
}

fn send(address: SocketAddr) -> std::io::Result<TcpStream> {
    let messages = json!([{"role": "user", "content": QUESTION}]);
    let body = json!({"messages": messages, "max_tokens": TOKENS, "stream": true}).to_string();
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let length = body.len();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
    );
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat())?;
    Ok(stream)
}
