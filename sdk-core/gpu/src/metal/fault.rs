//! What Metal's errors mean to a caller.
//!
//! The codes are those of `MTLCommandBufferError` in Apple's MTLCommandBuffer.h. After a page fault or a timeout the
//! device itself goes on, but what the work left in its buffers is anybody's guess: to the caller that is a loss.

use crate::{Error, backend::MemoryUse};

/// The domain that the codes below belong to; the same number in another domain means something else.
const COMMAND_BUFFER_DOMAIN: &str = "MTLCommandBufferErrorDomain";

const TIMEOUT: isize = 2;
const PAGE_FAULT: isize = 3;
const ACCESS_REVOKED: isize = 4;
const NOT_PERMITTED: isize = 7;
const OUT_OF_MEMORY: isize = 8;
const DEVICE_REMOVED: isize = 11;

/// An `NSError` without its object.
#[derive(Debug)]
pub(super) struct Report {
    pub(super) domain: String,
    pub(super) code: isize,
    pub(super) text: String,
}

/// Why a command buffer failed, in our terms.
pub(super) fn of_work(report: Report, memory: MemoryUse) -> Error {
    let Report { domain, code, text } = report;
    let is_ours = domain == COMMAND_BUFFER_DOMAIN;
    let lost = |help| Error::DeviceLost { reason: text.clone(), help };
    match code {
        TIMEOUT if is_ours => lost("results are undefined; submit less work at once"),
        PAGE_FAULT if is_ours => {
            lost("results are undefined; this is a mistake in a kernel: please report it")
        }
        ACCESS_REVOKED if is_ours => lost("the system shut this process out; start the app again"),
        // iOS takes the GPU from an app that leaves the foreground. The device is as good as new when it returns.
        NOT_PERMITTED if is_ours => lost("open the device again when the app is in the foreground"),
        DEVICE_REMOVED if is_ours => lost("the device was unplugged; open another one"),
        OUT_OF_MEMORY if is_ours => out_of_memory(memory.reserved, memory),
        _ => Error::Driver { call: "MTLCommandBuffer", code: format!("{text} ({domain} {code})") },
    }
}

/// An allocation of `asked` bytes that cannot be.
pub(super) fn out_of_memory(asked: u64, memory: MemoryUse) -> Error {
    let limit = memory.budget.unwrap_or(memory.reserved);
    Error::OutOfMemory {
        asked,
        available: limit.saturating_sub(memory.reserved),
        limit,
        pool: "device",
        help: "free buffers, or use a smaller or more strongly quantised model",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn error(domain: &str, code: isize) -> Error {
        let memory = MemoryUse { reserved: 700, budget: Some(1000) };
        of_work(Report { domain: domain.into(), code, text: "Insufficient Permission".into() }, memory)
    }

    #[test]
    fn work_that_cannot_be_trusted_any_more_is_a_lost_device() {
        for code in [TIMEOUT, PAGE_FAULT, ACCESS_REVOKED, NOT_PERMITTED, DEVICE_REMOVED] {
            let error = error(COMMAND_BUFFER_DOMAIN, code);
            assert_eq!(error.kind(), ErrorKind::DeviceLost, "{code}");
            assert!(error.to_string().contains("Insufficient Permission"), "the system's own words are kept");
        }
    }

    #[test]
    fn an_app_in_the_background_is_told_to_come_back() {
        let error = error(COMMAND_BUFFER_DOMAIN, NOT_PERMITTED);
        assert!(error.is_retryable() && error.to_string().contains("foreground"));
    }

    #[test]
    fn memory_that_ran_out_says_how_much_there_was() {
        let Error::OutOfMemory { asked: 700, available: 300, limit: 1000, .. } =
            error(COMMAND_BUFFER_DOMAIN, OUT_OF_MEMORY)
        else {
            panic!("not out of memory");
        };
    }

    #[test]
    fn unknown_codes_and_other_domains_are_the_drivers() {
        for (domain, code) in
            [(COMMAND_BUFFER_DOMAIN, 1), (COMMAND_BUFFER_DOMAIN, 99), ("NSPOSIXErrorDomain", 2)]
        {
            let error = error(domain, code);
            assert_eq!(error.kind(), ErrorKind::Driver, "{domain} {code}");
            assert!(error.to_string().contains(domain));
        }
    }
}
