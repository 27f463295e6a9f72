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

impl Report {
    /// Whether the device will never work again in this process.
    pub(super) fn is_final(&self) -> bool {
        self.domain == COMMAND_BUFFER_DOMAIN && matches!(self.code, ACCESS_REVOKED | DEVICE_REMOVED)
    }

    /// Why a command buffer failed, in our terms.
    pub(super) fn into_error(self, memory: MemoryUse) -> Error {
        let code = (self.domain == COMMAND_BUFFER_DOMAIN).then_some(self.code);
        let help = match code {
            Some(TIMEOUT) => "results are undefined; submit less work at once",
            Some(PAGE_FAULT) => "results are undefined; a kernel read or wrote astray: please report it",
            // iOS takes the GPU from an app that leaves the foreground, and gives it back later: no loss.
            Some(NOT_PERMITTED) => return Error::Suspended { reason: self.text },
            Some(ACCESS_REVOKED | DEVICE_REMOVED) => return device_lost(self.text),
            Some(OUT_OF_MEMORY) => return out_of_memory(memory.reserved, memory),
            _ => {
                let Self { domain, code, text } = self;
                return Error::Driver { call: "MTLCommandBuffer", code: format!("{text} ({domain} {code})") };
            }
        };
        Error::DeviceLost { reason: self.text, help }
    }
}

/// A device that is gone.
pub(super) fn device_lost(reason: String) -> Error {
    Error::DeviceLost { reason, help: "open a device again; what its buffers held has to be written anew" }
}

/// An allocation of `asked` bytes that cannot be.
pub(super) fn out_of_memory(asked: u64, memory: MemoryUse) -> Error {
    let limit = memory.budget.unwrap_or(memory.reserved);
    Error::OutOfMemory {
        asked,
        available: limit.saturating_sub(memory.reserved),
        limit,
        pool: "device",
        help: "free buffers, or ask for less",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ErrorKind;

    fn report(domain: &str, code: isize) -> Report {
        Report { domain: domain.into(), code, text: "Insufficient Permission".into() }
    }

    fn error(domain: &str, code: isize) -> Error {
        report(domain, code).into_error(MemoryUse { reserved: 700, budget: Some(1000) })
    }

    #[test]
    fn work_that_cannot_be_trusted_any_more_is_a_lost_device() {
        for code in [TIMEOUT, PAGE_FAULT, ACCESS_REVOKED, DEVICE_REMOVED] {
            let error = error(COMMAND_BUFFER_DOMAIN, code);
            assert_eq!(error.kind(), ErrorKind::DeviceLost, "{code}");
            assert!(error.to_string().contains("Insufficient Permission"), "the system's own words are kept");
        }
    }

    #[test]
    fn only_a_device_that_is_gone_stays_lost() {
        assert!(
            [ACCESS_REVOKED, DEVICE_REMOVED].map(|c| report(COMMAND_BUFFER_DOMAIN, c).is_final())
                == [true; 2]
        );
        for code in [TIMEOUT, PAGE_FAULT, NOT_PERMITTED, OUT_OF_MEMORY] {
            assert!(!report(COMMAND_BUFFER_DOMAIN, code).is_final(), "{code}");
        }
        assert!(!report("NSPOSIXErrorDomain", DEVICE_REMOVED).is_final());
    }

    #[test]
    fn an_app_in_the_background_is_told_to_come_back() {
        let error = error(COMMAND_BUFFER_DOMAIN, NOT_PERMITTED);
        assert_eq!(error.kind(), ErrorKind::Suspended);
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
