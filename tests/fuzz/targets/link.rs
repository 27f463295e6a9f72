//! Any text is a link or an error for people; a link that was read and shown is read back the same.
#![no_main]

use exo_node::discovery::Link;

libfuzzer_sys::fuzz_target!(|text: &str| {
    match Link::parse(text) {
        Ok(link) => {
            let link = link.confirm();
            let again = Link::parse(&link.to_string()).map(|link| link.confirm());
            assert_eq!(again.ok(), Some(link));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
