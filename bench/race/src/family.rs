//! Rows by family: which of them a plan wants, and what the waiting reader is told.

use anyhow::{Result, bail};

use crate::{plan::Plan, row::Row};

/// A family of rows: its name, what to tell the waiting reader, and the run.
pub type Family = (&'static str, &'static str, fn(&Plan) -> Vec<Row>);

/// Runs what the plan wants of these.
pub fn run(plan: &Plan, families: &[Family]) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (name, what, family) in families {
        if plan.wants(name) {
            eprintln!("{name}  {what} ...");
            rows.extend(family(plan));
        }
    }
    rows.retain(|row| plan.wants(row.spec.id));
    if rows.is_empty() {
        bail!("no such row; --help lists them");
    }
    Ok(rows)
}
