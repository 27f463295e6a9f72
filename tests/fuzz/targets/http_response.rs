//! Any answer to `GET /state` is a body within its limit or an error; how it was cut into pieces makes no difference.
#![no_main]

use exo_node::http::response::{BadResponse, Response};

const LARGEST: usize = 4096;

fn read(bytes: &[u8], piece: usize) -> Result<Vec<u8>, BadResponse> {
    let mut response = Response::up_to(LARGEST);
    for piece in bytes.chunks(piece) {
        if response.take(piece)? {
            break;
        }
    }
    response.finish()
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let whole = read(bytes, usize::MAX);
    if let Ok(body) = &whole {
        assert!(body.len() <= LARGEST);
    }
    assert_eq!(read(bytes, 7).ok(), whole.ok());
});
