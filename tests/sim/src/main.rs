//! `exo-sim`: runs seeds until one breaks a rule, then shows how, and how to see it again.
#![forbid(unsafe_code)]

use std::{
    io::{IsTerminal, Write, stderr},
    process::ExitCode,
    str::FromStr,
    time::Instant,
};

use exo_sim::{Bug, Config, Failure, Tally, World};
use serde_json::json;

const USAGE: &str = "\
exo-sim: phones and exo nodes in virtual time

  --seeds N      how many seeds to run (1)
  --seed S       the first of them (1)
  --phones M     phones in each world (24)
  --minutes T    virtual minutes (10)
  --exos K       exo nodes, 1 to 3 (drawn from the seed)
  --break BUG    inject a bug: new-index, other-content, no-acks, nack-from-zero, votes, swallows, floods
  --trace        print every step
  --keep-going   go on after a failure, and list all at the end
  --json         print a summary as JSON";

struct Options {
    seeds: u64,
    json: bool,
    keep_going: bool,
    config: Config,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        Err(why) => {
            eprintln!("error: {why}\n\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    run(&options)
}

fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { seeds: 1, json: false, keep_going: false, config: Config::of(1, 24) };
    while let Some(argument) = arguments.next() {
        let config = &mut options.config;
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "-h" | "--help" => return Ok(None),
            "--trace" => config.trace = true,
            "--json" => options.json = true,
            "--keep-going" => options.keep_going = true,
            "--seeds" => options.seeds = number(&argument, &value()?, 1..=10_000_000)?,
            "--seed" => config.seed = number(&argument, &value()?, 0..=u64::MAX)?,
            "--phones" => config.phones = number(&argument, &value()?, 1..=10_000)? as u16,
            "--minutes" => config.minutes = number(&argument, &value()?, 2..=10_000)? as u32,
            "--exos" => config.exos = Some(number(&argument, &value()?, 1..=3)? as u16),
            "--break" => config.bug = Some(Bug::from_str(&value()?)?),
            other => return Err(format!("{other:?} is not an option")),
        }
    }
    Ok(Some(options))
}

fn number(name: &str, text: &str, allowed: std::ops::RangeInclusive<u64>) -> Result<u64, String> {
    let parsed = text.parse().ok().filter(|number| allowed.contains(number));
    let (least, most) = (allowed.start(), allowed.end());
    parsed.ok_or_else(|| format!("{name} takes a number from {least} to {most}, not {text:?}"))
}

fn run(options: &Options) -> ExitCode {
    let began = Instant::now();
    let shows_progress = stderr().is_terminal() && !options.config.trace;
    let mut total = Tally::default();
    let mut failed = 0;
    for n in 0..options.seeds {
        let config = Config { seed: options.config.seed.wrapping_add(n), ..options.config };
        match World::new(config).run() {
            Ok(tally) => total = total.and(&tally),
            Err(failure) if options.keep_going => {
                failed += 1;
                eprintln!("seed {} at {:.3} s: {}", config.seed, failure.at as f64 / 1e6, failure.broken);
            }
            Err(failure) => {
                report(&failure);
                if options.json {
                    println!("{}", json!({ "passed": false, "seed": config.seed, "why": failure.broken }));
                }
                return ExitCode::FAILURE;
            }
        }
        if shows_progress {
            let seconds = began.elapsed().as_secs_f64();
            eprint!("\r{} of {} seeds, {seconds:.0} s, {} faults", n + 1, options.seeds, total.faults);
            let _ = stderr().flush();
        }
    }
    if shows_progress {
        eprintln!();
    }
    if failed > 0 {
        println!("{failed} of {} seeds failed", options.seeds);
        return ExitCode::FAILURE;
    }
    summary(options, &total, began.elapsed().as_secs_f64());
    ExitCode::SUCCESS
}

fn report(failure: &Failure) {
    let Failure { config, at, broken, diagram } = failure;
    eprintln!("\nseed {} failed after {:.3} virtual seconds", config.seed, *at as f64 / 1e6);
    eprintln!("{diagram}");
    eprintln!("\nbroken: {broken}\nsee it again: {}", config.replay());
}

fn summary(options: &Options, total: &Tally, seconds: f64) {
    let Config { seed, phones, minutes, .. } = options.config;
    let rejoin = total.slowest_rejoin as f64 / 1e6;
    if options.json {
        let summary = json!({
            "passed": true, "seed": seed, "seeds": options.seeds, "phones": phones, "minutes": minutes,
            "seconds": seconds, "steps": total.steps, "heard": total.heard, "published": total.published,
            "logged": total.logged, "nacks": total.nacks, "faults": total.faults, "sessions": total.sessions,
            "slowest_rejoin_seconds": rejoin, "replicas_compared": total.replicas,
        });
        println!("{summary}");
        return;
    }
    println!(
        "{} seeds from {seed}, {phones} phones, {minutes} virtual minutes each: {seconds:.1} s\n\
         {} faults, {} sessions, {} payloads published, {} events in logs, {} requests for the log,\n\
         {} deliveries, {} replicas equal to their master's state, slowest rejoin {rejoin:.2} s",
        options.seeds,
        total.faults,
        total.sessions,
        total.published,
        total.logged,
        total.nacks,
        total.heard,
        total.replicas,
    );
}
