//! Weights on their way to this node, as exo is told of them.
//!
//! exo's log keeps every event for ever, so a download is told by its tenths, whatever its length.

use exo_wire::{
    Memory, NodeId, RunnerId,
    count::Count,
    download::{
        DownloadCompleted, DownloadFailed, DownloadOngoing, DownloadPending, DownloadProgress,
        DownloadProgressData,
    },
    finite::Amount,
    shard::ShardMetadata,
    task::TaskStatus,
};

use super::{
    Fetching, Wish, Work, Worker,
    runner::{Plan, Stage},
};
use crate::now::Moment;

impl Worker {
    /// The engine shall bring the weights here.
    pub(super) fn fetch(&mut self, id: &RunnerId, plan: Plan) {
        if let Some(runner) = self.runners.get_mut(id) {
            (runner.fetching, runner.told_tenth) = (Fetching::NONE, None);
        }
        self.tell_download(id, |node, shard, so_far| DownloadProgress::Pending(pending(node, shard, so_far)));
        self.hold(id);
        self.want(Wish::Fetch(id.clone(), plan.shard));
    }

    pub(super) fn fetching(&mut self, now: Moment, id: &RunnerId, so_far: Fetching) {
        if !self.is_at(id, &Stage::Fetching) {
            return;
        }
        let tenth = so_far.done.saturating_mul(10).checked_div(so_far.total);
        if let Some(runner) = self.runners.get_mut(id) {
            runner.fetching = so_far;
            if runner.told_tenth >= tenth {
                return;
            }
        }
        if !self.may_tell_progress(now, id) {
            return;
        }
        if let Some(runner) = self.runners.get_mut(id) {
            runner.told_tenth = tenth;
        }
        self.tell_download(id, |node, shard, so_far| DownloadProgress::Ongoing(ongoing(node, shard, so_far)));
    }

    pub(super) fn fetched(&mut self, now: Moment, id: &RunnerId, total: u64) {
        if !self.is_at(id, &Stage::Fetching) {
            return;
        }
        let Some(plan) = self.runners.get(id).and_then(|runner| runner.plan.clone()) else { return };
        let completed = DownloadCompleted {
            node_id: self.node.clone(),
            shard_metadata: plan.shard.clone(),
            model_directory: String::new(),
            total: Memory::bytes(total),
            read_only: false,
        };
        self.stored.insert(plan.model().clone(), completed.clone());
        self.tell_of(id, Work::Download(Box::new(DownloadProgress::Completed(completed))));
        self.end_step(id, TaskStatus::Complete);
        self.load(now, id, plan);
    }

    /// Bytes may cost money from now on: what is under way stops. Its parts stay, for a network that costs nothing.
    pub(super) fn stop_fetching(&mut self, now: Moment, costly: &str) {
        let under_way = self.runners.values().filter(|runner| runner.stage == Stage::Fetching);
        let stopped: Vec<_> = under_way
            .filter_map(|runner| Some((runner.id.clone(), not_fetched(runner.plan.as_ref()?, costly))))
            .collect();
        for (id, why) in stopped {
            self.refuse(now, &id, &why);
        }
    }

    /// The runner fails: if that was while its weights came, they do not come.
    pub(super) fn download_failed(&mut self, id: &RunnerId, why: &str) {
        if self.is_at(id, &Stage::Fetching) {
            let error_message = why.to_owned();
            self.tell_download(id, |node_id, shard, _| {
                let (shard_metadata, model_directory) = (shard.clone(), String::new());
                DownloadProgress::Failed(DownloadFailed {
                    node_id,
                    shard_metadata,
                    model_directory,
                    error_message,
                })
            });
        }
    }

    /// Nobody wants the runner any more: if its weights were coming, what came stays, and no more comes.
    pub(super) fn download_rests(&mut self, id: &RunnerId) {
        if self.is_at(id, &Stage::Fetching) {
            self.tell_download(id, |node, shard, so_far| {
                DownloadProgress::Pending(pending(node, shard, so_far))
            });
        }
    }

    pub(super) fn tell_stored(&mut self) {
        for completed in self.stored.values().cloned().collect::<Vec<_>>() {
            self.tell(Work::Download(Box::new(DownloadProgress::Completed(completed))));
        }
    }

    fn tell_download(
        &mut self,
        id: &RunnerId,
        progress: impl FnOnce(NodeId, &ShardMetadata, Fetching) -> DownloadProgress,
    ) {
        let Some(runner) = self.runners.get(id) else { return };
        if let Some(plan) = &runner.plan {
            let progress = progress(self.node.clone(), &plan.shard, runner.fetching);
            self.tell_of(id, Work::Download(Box::new(progress)));
        }
    }
}

/// Why a model is not brought here, though it could be run.
pub(super) fn not_fetched(plan: &Plan, costly: &str) -> String {
    format!(
        "{} is not on this device, and nothing is fetched now: {costly}; place it again on another network",
        plan.model()
    )
}

fn pending(node_id: NodeId, shard: &ShardMetadata, so_far: Fetching) -> DownloadPending {
    let total = match so_far.total {
        0 => shard.model_card().storage_size,
        total => Memory::bytes(total),
    };
    DownloadPending {
        node_id,
        shard_metadata: shard.clone(),
        model_directory: String::new(),
        downloaded: Memory::bytes(so_far.done.min(so_far.total)),
        total,
    }
}

fn ongoing(node_id: NodeId, shard: &ShardMetadata, so_far: Fetching) -> DownloadOngoing {
    let speed = Amount::new(so_far.speed).unwrap_or_default();
    let left = so_far.total.saturating_sub(so_far.done) as f64;
    let eta_ms = if speed.get() > 0.0 { (left / speed.get() * 1000.0) as u64 } else { 0 };
    DownloadOngoing {
        node_id,
        shard_metadata: shard.clone(),
        model_directory: String::new(),
        download_progress: DownloadProgressData {
            total: Memory::bytes(so_far.total),
            downloaded: Memory::bytes(so_far.done.min(so_far.total)),
            downloaded_this_session: Memory::bytes(so_far.fresh.min(so_far.done)),
            completed_files: so_far.files_done.min(so_far.files),
            total_files: so_far.files,
            speed,
            eta_ms: Count::new(eta_ms),
            files: std::collections::BTreeMap::new(),
        },
    }
}
