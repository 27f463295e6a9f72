//! From the tree of an expression to steps for the machine.

use super::parse::{Kind, Node};

/// One step. Numbers of steps are places in the program.
#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// One character of this class.
    One(usize),
    /// As many characters of this class as there are; some are given back if what follows fails, unless possessive.
    Run {
        class: usize,
        least: usize,
        most: usize,
        gives_back: bool,
    },
    /// Goes on at the first; if that fails, at the second.
    Fork(usize, usize),
    Jump(usize),
    /// Looks whether the steps from the next one to the next [`Step::Done`] match here, and goes on behind them.
    Ahead {
        is_negated: bool,
        then: usize,
    },
    Start,
    End,
    Done,
}

/// Steps of one expression; real ones have below 60.
const MAX_STEPS: usize = 20_000;

pub(super) fn compile(node: &Node) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    emit(node, &mut steps)?;
    steps.push(Step::Done);
    Ok(steps)
}

fn emit(node: &Node, steps: &mut Vec<Step>) -> Result<(), String> {
    if steps.len() > MAX_STEPS {
        return Err(format!("more than {MAX_STEPS} steps"));
    }
    match node {
        Node::One(class) => steps.push(Step::One(*class)),
        Node::All(nodes) => nodes.iter().try_for_each(|node| emit(node, steps))?,
        Node::Any(nodes) => any(nodes, steps)?,
        Node::Repeat { node, least, most, kind } => repeat(node, *least, *most, *kind, steps)?,
        Node::Ahead { node, is_negated } => {
            let ahead = reserve(steps);
            emit(node, steps)?;
            steps.push(Step::Done);
            steps[ahead] = Step::Ahead { is_negated: *is_negated, then: steps.len() };
        }
        Node::Start => steps.push(Step::Start),
        Node::End => steps.push(Step::End),
    }
    Ok(())
}

/// A place for a step whose target is not known yet.
fn reserve(steps: &mut Vec<Step>) -> usize {
    steps.push(Step::Done);
    steps.len() - 1
}

fn any(nodes: &[Node], steps: &mut Vec<Step>) -> Result<(), String> {
    let mut ends = Vec::new();
    for (number, node) in nodes.iter().enumerate() {
        if number + 1 == nodes.len() {
            emit(node, steps)?;
        } else {
            let fork = reserve(steps);
            emit(node, steps)?;
            ends.push(reserve(steps));
            steps[fork] = Step::Fork(fork + 1, steps.len());
        }
    }
    for end in ends {
        steps[end] = Step::Jump(steps.len());
    }
    Ok(())
}

fn repeat(node: &Node, least: usize, most: usize, kind: Kind, steps: &mut Vec<Step>) -> Result<(), String> {
    if let (Node::One(class), Kind::Greedy | Kind::Possessive) = (node, kind) {
        steps.push(Step::Run { class: *class, least, most, gives_back: kind == Kind::Greedy });
        return Ok(());
    }
    if kind == Kind::Possessive {
        return Err("a possessive repeat of a group".into());
    }
    if may_be_empty(node) {
        return Err("a repeat of what may be empty".into());
    }
    let fork = |body, out| if kind == Kind::Lazy { Step::Fork(out, body) } else { Step::Fork(body, out) };
    for _ in 0..least {
        emit(node, steps)?;
    }
    if most == usize::MAX {
        let start = reserve(steps);
        emit(node, steps)?;
        steps.push(Step::Jump(start));
        steps[start] = fork(start + 1, steps.len());
        return Ok(());
    }
    let mut forks = Vec::new();
    for _ in least..most {
        forks.push(reserve(steps));
        emit(node, steps)?;
    }
    let end = steps.len();
    for at in forks {
        steps[at] = fork(at + 1, end);
    }
    Ok(())
}

fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::One(_) => false,
        Node::All(nodes) => nodes.iter().all(may_be_empty),
        Node::Any(nodes) => nodes.iter().any(may_be_empty),
        Node::Repeat { node, least, .. } => *least == 0 || may_be_empty(node),
        Node::Ahead { .. } | Node::Start | Node::End => true,
    }
}
