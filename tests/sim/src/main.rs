//! `exo-sim`: runs seeds until one breaks a rule, then shows how, and how to see it again.
#![forbid(unsafe_code)]

use std::{
    fs::File,
    io::{BufWriter, IsTerminal, Write, stderr},
    path::{Path, PathBuf},
    process::ExitCode,
    str::FromStr,
    time::Instant,
};

use exo_sim::{
    Bug, Config, Failure, Tally,
    seeds::{Outcome, Seeds},
};
use serde_json::json;

const USAGE: &str = "\
exo-sim: phones and exo nodes in virtual time

  --seeds N      how many seeds to run (1)
  --seed S       the first of them (1)
  --phones M     phones in each world (24)
  --minutes T    virtual minutes (10)
  --exos K       exo nodes, 1 to 3 (drawn from the seed)
  --jobs J       seeds that run at the same time (one for each core)
  --break BUG    inject a bug: new-index, other-content, no-acks, nack-from-zero, votes, swallows, floods, hurries,
                 forgets, reused-index
  --dump FILE    write a sample of what was published, as JSON lines, for tests/peer/test_dump.py
  --trace        print every step
  --keep-going   go on after a failure, and list all at the end
  --json         print a summary as JSON";

struct Options {
    seeds: u64,
    jobs: usize,
    json: bool,
    keep_going: bool,
    dump: Option<PathBuf>,
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
    let jobs = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let config = Config::of(1, 24);
    let mut options = Options { seeds: 1, jobs, json: false, keep_going: false, dump: None, config };
    while let Some(argument) = arguments.next() {
        let config = &mut options.config;
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "-h" | "--help" => return Ok(None),
            "--trace" => config.trace = true,
            "--json" => options.json = true,
            "--keep-going" => options.keep_going = true,
            "--seeds" => options.seeds = number(&argument, &value()?, 1..=10_000_000)?,
            "--jobs" => options.jobs = number(&argument, &value()?, 1..=1024)? as usize,
            "--seed" => config.seed = number(&argument, &value()?, 0..=u64::MAX)?,
            "--phones" => config.phones = number(&argument, &value()?, 1..=10_000)? as u16,
            "--minutes" => config.minutes = number(&argument, &value()?, 2..=10_000)? as u32,
            "--exos" => config.exos = Some(number(&argument, &value()?, 1..=3)? as u16),
            "--break" => config.bug = Some(Bug::from_str(&value()?)?),
            "--dump" => options.dump = Some(value()?.into()),
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
    let Options { seeds, jobs, keep_going, config, .. } = *options;
    let shows_progress = stderr().is_terminal() && !config.trace;
    // Lines of a trace belong together.
    let jobs = if config.trace { 1 } else { jobs };
    let seeds = Seeds { first: config, count: seeds, jobs, keep_going, samples: options.dump.is_some() };
    let Outcome { total, failures, samples } = seeds.run(|done, total| {
        if shows_progress {
            let seconds = began.elapsed().as_secs_f64();
            eprint!("\r{done} of {} seeds, {seconds:.0} s, {} faults", options.seeds, total.faults);
            let _ = stderr().flush();
        }
    });
    if shows_progress {
        eprintln!();
    }
    if let Some(path) = &options.dump
        && let Err(why) = write_lines(path, samples.iter().map(exo_sim::sample::Sample::line))
    {
        eprintln!("error: {} cannot be written: {why}", path.display());
        return ExitCode::from(2);
    }
    let Some(failure) = failures.first() else {
        summary(options, &total, began.elapsed().as_secs_f64());
        return ExitCode::SUCCESS;
    };
    if keep_going {
        for Failure { config, at, broken, .. } in &failures {
            eprintln!("seed {} at {:.3} s: {broken}", config.seed, *at as f64 / 1e6);
        }
        println!("{} of {} seeds failed", failures.len(), options.seeds);
    } else {
        report(failure);
    }
    if options.json {
        println!("{}", json!({ "passed": false, "seed": failure.config.seed, "why": failure.broken }));
    }
    ExitCode::FAILURE
}

fn write_lines(path: &Path, lines: impl Iterator<Item = String>) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.flush()
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
    let from_heal = total.slowest_from_heal as f64 / 1e6;
    if options.json {
        let summary = json!({
            "passed": true, "seed": seed, "seeds": options.seeds, "phones": phones, "minutes": minutes,
            "seconds": seconds, "steps": total.steps, "heard": total.heard, "published": total.published,
            "logged": total.logged, "acked": total.acked, "nacks": total.nacks, "faults": total.faults,
            "sessions": total.sessions, "slowest_rejoin_seconds": rejoin, "rejoins": total.rejoins,
            "rejoins_over_5_s_from_heal": total.late_rejoins, "slowest_rejoin_from_heal_seconds": from_heal,
            "quiet_times_judged": total.judged, "quiet_times_too_short": total.unjudged,
            "paces_measured": total.paces, "replicas_compared": total.replicas,
        });
        println!("{summary}");
        return;
    }
    println!(
        "{} seeds from {seed}, {phones} phones, {minutes} virtual minutes each: {seconds:.1} s\n\
         {} faults, {} sessions, {} payloads published, {} requests for the log, {} deliveries\n\
         {} events in logs, {} taken for acknowledged and each found in its log once\n\
         {} quiet times judged, {} too short; {} replicas equal to their master's state, {} paces measured\n\
         joined again within {rejoin:.2} s after exo's elections and resends; counted from the heal itself:\n\
         {} rejoins, {} of them over 5 s, the slowest {from_heal:.2} s",
        options.seeds,
        total.faults,
        total.sessions,
        total.published,
        total.nacks,
        total.heard,
        total.logged,
        total.acked,
        total.judged,
        total.unjudged,
        total.replicas,
        total.paces,
        total.rejoins,
        total.late_rejoins,
    );
}
