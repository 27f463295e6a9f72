//! Tasks that may be running, as the actor waits for them.

use std::future::pending;

use tokio::task::JoinHandle;

/// A task, or none. Letting go of one does not stop it: it runs on, and what it made is dropped.
pub(super) type Running<T> = Option<JoinHandle<T>>;

/// The result of a task, once; never, if none runs; `None` if it broke off. Safe to drop while it waits.
pub(super) async fn ended<T>(task: &mut Running<T>) -> Option<T> {
    let result = match task {
        Some(running) => running.await.ok(),
        None => pending().await,
    };
    *task = None;
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_result_is_told_once() {
        let mut task = Some(tokio::spawn(async { 7 }));
        assert_eq!(ended(&mut task).await, Some(7));
        assert!(task.is_none());
    }

    #[tokio::test]
    async fn a_panic_in_a_task_is_no_panic_in_ours() {
        let mut task = Some(tokio::spawn(async { panic!("on purpose") }));
        assert_eq!(ended::<()>(&mut task).await, None);
    }
}
