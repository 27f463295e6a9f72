//! The reply as people read it.

use std::{
    error::Error,
    io::{self, Write},
    ops::ControlFlow,
    path::Path,
    time::Instant,
};

use exo_engine::{
    Engine, Happened, LoadOptions, Progress,
    chat::{ChatRequest, Event, Usage},
};
use exo_gpu::Gpu;

use super::{Args, now};

pub(super) fn stream(
    args: &Args,
    gpu: &Gpu,
    directory: &Path,
    options: &LoadOptions,
    show: &mut dyn FnMut(Progress) -> ControlFlow<()>,
) -> Result<(), Box<dyn Error>> {
    let start = Instant::now();
    let mut engine = Engine::load(gpu.device(), directory, options, show)?;
    let loaded = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let job = if args.raw {
        engine.submit_raw(&args.prompt, &request(args)?)?
    } else {
        engine.submit(&request(args)?, now())?
    };
    let (mut happened, mut first, mut usage) = (Vec::new(), None, Usage::default());
    let mut out = io::stdout().lock();
    while !engine.is_idle() {
        engine.step(&mut happened)?;
        for what in happened.drain(..) {
            match what {
                Happened::Prefill { .. } => {}
                Happened::Replied { event: Event::Said(said), .. } => {
                    first.get_or_insert_with(|| start.elapsed().as_secs_f64());
                    usage = said.end.map_or(usage, |end| end.usage);
                    // Whoever closed the pipe has read enough.
                    if out.write_all(said.text.as_bytes()).and_then(|()| out.flush()).is_err() {
                        engine.cancel(job);
                    }
                }
                Happened::Replied { event: Event::ToolCalls { usage: all, .. }, .. } => usage = all,
                Happened::Failed { error, .. } => return Err(error.into()),
            }
        }
    }
    let _ = writeln!(out);
    let all = start.elapsed().as_secs_f64();
    let first = first.unwrap_or(all);
    eprintln!("{}", summary(&usage, loaded, first, all - first, &gpu.device().description().name));
    Ok(())
}

pub(super) fn request(args: &Args) -> Result<ChatRequest, Box<dyn Error>> {
    let request = serde_json::json!({
        "input": [{"role": "user", "content": args.prompt}],
        "max_output_tokens": args.max_tokens.get(),
        "temperature": args.temperature,
        "seed": args.seed,
    });
    Ok(ChatRequest::from_json(&request.to_string())?)
}

/// The first token comes with the prompt; the others take what is left.
fn summary(usage: &Usage, loaded: f64, first: f64, rest: f64, device: &str) -> String {
    let (prompt, reply) = (f64::from(usage.prompt_tokens), f64::from(usage.completion_tokens));
    let speed = if rest > 0.0 { (reply - 1.0).max(0.0) / rest } else { 0.0 };
    format!(
        "loaded in {loaded:.1} s; prompt: {prompt} tokens, first token after {first:.2} s ({:.0} tokens/s); reply: {reply} \
         tokens, {speed:.1} tokens/s; {device}",
        prompt / first.max(1e-9),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_token_belongs_to_the_prompt() {
        let usage = Usage { prompt_tokens: 100, completion_tokens: 11, ..Usage::default() };
        let said = summary(&usage, 1.0, 0.5, 2.0, "CPU");
        assert!(said.contains("(200 tokens/s)") && said.contains("11 tokens, 5.0 tokens/s"), "{said}");
    }
}
