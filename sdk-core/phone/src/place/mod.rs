//! `exo-phone place`: how the cluster would run a model, and the wish that it does.
//!
//! [`attend`] joins in silence until the cluster is known, [`find`] finds the model's card, the node's library plans, and
//! [`report`] and [`render`] tell it. The report is plain data, so what people read is tested without any network.

mod args;
mod attend;
mod find;
mod render;
mod report;
#[cfg(test)]
mod sample;

pub(crate) use args::Args;

use std::{
    io,
    process::ExitCode,
    sync::Arc,
    time::{Duration, Instant},
};

use exo_node::{
    driver::{JoinOptions, Node, WhoAmI},
    member::ClusterView,
    planning::{self, Plan, Situation, Wanted, Wishes},
};
use exo_telemetry::{aggregator::ClusterState, placement::Status};

use tokio::time;

use crate::{exit, stop::Stop, terminal::Palette, watch::lines};
use find::{Model, NotFound};
use report::{Handed, Report};

const LEAVE_WITHIN: Duration = Duration::from_secs(1);
/// What members need to look at themselves and say how they are, if they did not just do so.
const TELLING: Duration = Duration::from_millis(1500);

/// Why there is nothing to show, by how the program ends.
enum Failure {
    /// 1.
    Fault(String),
    /// 2.
    Usage(String),
}

/// Plans, shows the plan, and hands it over if that was asked for.
pub(crate) fn run(args: &Args) -> ExitCode {
    let search = match args.search.config() {
        Ok(search) => search,
        Err(error) => return exit::usage(&error),
    };
    let file = match find::in_file(&args.model) {
        Ok(file) => file,
        Err(error) => return exit::usage(&error),
    };
    let runtime = match exit::runtime() {
        Ok(runtime) => runtime,
        Err(code) => return code,
    };
    runtime.block_on(async {
        let stop = Stop::listen(None);
        // Nobody gets to know us, so nobody needs to recognise us either.
        let mut options = JoinOptions::new(WhoAmI::New);
        (options.search, options.listen_only) = (search, true);
        let node = match Node::join(options) {
            Ok(node) => node,
            Err(error) => return exit::failure(error.message()),
        };
        let outcome = tokio::select! {
            outcome = plan(args, file, &node) => outcome,
            () = stop.asked() => Err(Failure::Fault("stopped before there was a plan".to_owned())),
        };
        let code = match outcome {
            Ok(report) => show(&report, args),
            Err(Failure::Fault(message)) => exit::failure(&message),
            Err(Failure::Usage(message)) => exit::usage(&message),
        };
        let _ = node.leave(LEAVE_WITHIN).await;
        code
    })
}

async fn plan(args: &Args, file: Option<Model>, node: &Node) -> Result<Report, Failure> {
    let mut say = |words: &str| eprintln!("{words}");
    let view = attend::attend(node, args.seconds, &mut say).await.map_err(Failure::Fault)?;
    let model = match file {
        Some(model) => model,
        None => find::in_cluster(&args.model, node).await.map_err(|not_found| match not_found {
            NotFound::Unknown(words) => Failure::Usage(words),
            NotFound::Fault(words) => Failure::Fault(words),
        })?,
    };
    let wishes = args.wishes();
    model.check_context(wishes.context_tokens).map_err(Failure::Usage)?;
    // Members of this SDK were asked how they are when we joined.
    time::sleep(TELLING).await;
    let plan = solve(&model, &view, &node.telemetry(), &wishes).map_err(Failure::Fault)?;
    let handed = if args.hand_over { Some(hand_over(node, &plan, &model, &mut say).await) } else { None };
    Ok(Report::of(&model, plan, wishes, handed))
}

fn solve(
    model: &Model,
    view: &ClusterView,
    telemetry: &ClusterState,
    wishes: &Wishes,
) -> Result<Plan, String> {
    let wanted = match model {
        Model::Card(card) => Wanted::Card(card),
        Model::Layers { layers, .. } => Wanted::Layers(layers),
    };
    // Members of this SDK measure links. We are a silent one and measure none, but hear of theirs.
    let is_present = |id: &str| view.nodes.get(id).is_some_and(|node| node.present);
    let situation = Situation { view, telemetry, topology: &telemetry.topology_with(is_present) };
    let start = Instant::now();
    planning::plan(wanted, situation, wishes, &|| start.elapsed()).map_err(|error| error.to_string())
}

async fn hand_over(node: &Node, plan: &Plan, model: &Model, say: &mut impl FnMut(&str)) -> Handed {
    let Model::Card(card) = model else {
        return Handed::Refused("exo runs models by their cards, and this one has none".to_owned());
    };
    if plan.answer.status != Status::Infeasible {
        say("asking exo to run it");
    }
    match node.hand_over(plan, &Arc::clone(card)).await {
        Ok(handed) => Handed::Over(handed),
        Err(why) => Handed::Refused(why.to_string()),
    }
}

fn show(report: &Report, args: &Args) -> ExitCode {
    let text = if args.json { report.json() } else { render::render(report, Palette::of(&io::stdout())) };
    lines::print(text.trim_end());
    if report.is_as_wished() { ExitCode::SUCCESS } else { exit::no_plan() }
}
