//! What holds for every dispatch of every operation, whatever the limits.

use super::super::{Dispatch, Profile, lower};
use crate::{Tensor, op::Op};

/// Lowers `op` and checks each dispatch against the device's limits.
pub(super) fn dispatches(op: &Op<Tensor>, profile: &Profile) -> Vec<Dispatch> {
    let dispatches = lower(op, profile).unwrap_or_else(|e| panic!("{op:?}: {e}"));
    assert!(!dispatches.is_empty(), "{op:?}");
    for dispatch in &dispatches {
        check(dispatch, profile);
    }
    dispatches
}

fn check(dispatch: &Dispatch, profile: &Profile) {
    let Dispatch { kernel, bindings, params, workgroups, .. } = dispatch;
    let limits = &profile.limits;
    assert_eq!(bindings.len(), kernel.bindings.len(), "{}", kernel.name);
    assert_eq!(params.len() * 4, kernel.params_bytes as usize, "{}", kernel.name);
    for binding in bindings {
        assert!(
            binding.offset.is_multiple_of(limits.binding_alignment.max(16)),
            "{}: {binding:?}",
            kernel.name
        );
        assert!((1..=limits.max_binding_bytes).contains(&binding.bytes), "{}: {binding:?}", kernel.name);
        let padded = binding.buffer.size().next_multiple_of(16);
        assert!(binding.offset + binding.bytes <= padded, "{}: {binding:?}", kernel.name);
    }
    for (count, most) in workgroups.iter().zip(limits.max_workgroups) {
        assert!((1..=most).contains(count), "{}: {workgroups:?}", kernel.name);
    }
}

/// Checks that the dispatches write `y` from the first byte to the last, each byte once and in order.
pub(super) fn assert_tiles(dispatches: &[Dispatch], y: &Tensor) {
    let mut at = y.range().start;
    for dispatch in dispatches {
        let (start, end) = written(dispatch);
        assert_eq!(start, at, "{}: a gap or an overlap", dispatch.kernel.name);
        at = end;
    }
    assert_eq!(at, y.range().end.next_multiple_of(4), "the tail is missing");
}

/// The bytes of the result that a dispatch writes: every kernel has it as last binding and its offset as last
/// parameter.
fn written(dispatch: &Dispatch) -> (u64, u64) {
    let (binding, words) = (dispatch.bindings.last().unwrap(), *dispatch.params.last().unwrap());
    (binding.offset + 4 * u64::from(words), binding.offset + binding.bytes)
}
