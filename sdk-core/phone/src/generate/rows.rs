//! Every logit of a text, for whoever compares us with another program.

use std::{
    error::Error,
    fs::{self, File},
    io::{BufWriter, Write},
    ops::ControlFlow,
    path::Path,
};

use exo_engine::{Engine, LoadOptions, Model, Progress, TokenRun};
use exo_gpu::Gpu;
use serde_json::json;

use super::{Args, now, reply::request};

/// Adds the likeliest token each time, and writes a row for every token that the model saw.
pub(super) fn write(
    args: &Args,
    gpu: &Gpu,
    directory: &Path,
    options: &LoadOptions,
    show: &mut dyn FnMut(Progress) -> ControlFlow<()>,
    file: &Path,
) -> Result<(), Box<dyn Error>> {
    let language = Engine::read_language(directory)?;
    let prompt = if args.raw {
        language.tokenizer().encode(&args.prompt)?
    } else {
        exo_engine::chat::Reply::begin(&language, &request(args)?, now())?.0.prompt
    };
    let model = Model::load(gpu.device(), directory, options, show)?;
    let columns = model.architecture().vocabulary as usize;
    let mut run = TokenRun::new(vec![model]);
    let mut out = BufWriter::new(File::create(file)?);
    let mut tokens = prompt.clone();
    let mut new = prompt.clone();
    loop {
        let logits = run.logits(&new)?;
        for x in &logits {
            out.write_all(&x.to_le_bytes())?;
        }
        let last = &logits[logits.len().saturating_sub(columns)..];
        let best = (0..last.len()).max_by(|&a, &b| last[a].total_cmp(&last[b])).unwrap_or(0) as u32;
        tokens.push(best);
        new = vec![best];
        let count = tokens.len() - prompt.len();
        if count >= args.max_tokens.get() as usize || language.ends().contains(&best) {
            break;
        }
    }
    out.flush()?;
    let told = json!({
        "rows": tokens.len() - 1,
        "columns": columns,
        "prompt": prompt.len(),
        "tokens": tokens,
        "backend": gpu.device().description().backend.to_string(),
    });
    let mut beside = file.as_os_str().to_owned();
    beside.push(".json");
    fs::write(&beside, told.to_string())?;
    println!("{}", language.tokenizer().decode(&tokens[prompt.len()..]));
    eprintln!("{} rows of {columns} logits are in {}", tokens.len() - 1, file.display());
    Ok(())
}
