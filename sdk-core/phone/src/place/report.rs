//! A plan as plain data.

use exo_node::{
    driver::HandedOver,
    planning::{Plan, Wishes},
};
use exo_telemetry::placement::Status;
use serde_json::{Value, json};

use super::find::Model;

/// The version of the JSON; it changes when a field changes its meaning or goes away.
const SCHEMA: u32 = 1;

/// What became of the wish to hand the plan over.
#[derive(Clone, Debug)]
pub(super) enum Handed {
    /// exo took it.
    Over(HandedOver),
    /// It was not handed over, or nobody knows; the words say which.
    Refused(String),
}

/// All that is shown.
#[derive(Clone, Debug)]
pub(super) struct Report {
    pub(super) model: String,
    pub(super) plan: Plan,
    pub(super) wishes: Wishes,
    pub(super) handed: Option<Handed>,
}

impl Report {
    pub(super) fn of(model: &Model, plan: Plan, wishes: Wishes, handed: Option<Handed>) -> Self {
        Self { model: model.name().to_owned(), plan, wishes, handed }
    }

    /// Whether there is a plan, and exo has it in its log if that was wished.
    pub(super) fn is_as_wished(&self) -> bool {
        let is_handed = match &self.handed {
            None => true,
            Some(Handed::Over(handed)) => handed.seen,
            Some(Handed::Refused(_)) => false,
        };
        self.plan.answer.status != Status::Infeasible && is_handed
    }

    /// One line.
    pub(super) fn json(&self) -> String {
        let plan = &self.plan;
        let devices: Vec<Value> = plan
            .participants
            .iter()
            .map(
                |(id, it)| json!({ "id": id, "name": it.name, "backends": it.backends, "barred": it.barred }),
            )
            .collect();
        let handed = self.handed.as_ref().map(|handed| match handed {
            Handed::Over(over) => json!({
                "instance_id": over.instance_id, "command_id": over.command_id, "seen": over.seen,
            }),
            Handed::Refused(why) => json!({ "why_not": why }),
        });
        json!({
            "schema": SCHEMA, "version": env!("CARGO_PKG_VERSION"), "model": self.model,
            "answer": plan.answer, "devices": devices, "assumptions": plan.assumptions,
            "problem": plan.problem, "handed_over": handed,
        })
        .to_string()
    }
}
