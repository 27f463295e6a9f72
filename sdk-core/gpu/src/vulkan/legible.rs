//! Kernels as the validation layer can read them.
//!
//! naga reaches an element of a storage buffer by two access chains, one on top of the other. The layer (seen in
//! 1.3.239) follows a store through one chain only: it takes such a buffer for never written, and a missing
//! barrier between two dispatches is not heard. So while the layer is on, and only then, each chain that begins at
//! another is made to begin at the variable. The module means the same.

use std::collections::HashMap;

// Numbers of the SPIR-V specification, section 3.42.
const OP_ACCESS_CHAIN: u32 = 65;
const HEADER_WORDS: usize = 5;

/// The module with its access chains joined. What is no module comes back as it is.
pub(super) fn with_whole_access_chains(module: &[u32]) -> Vec<u32> {
    // Result of a chain: where it begins, and its indices.
    let mut chains: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut joined = module.get(..HEADER_WORDS).unwrap_or(module).to_vec();
    let mut rest = module.get(HEADER_WORDS..).unwrap_or_default();
    while let Some((&head, _)) = rest.split_first() {
        let length = (head >> 16) as usize;
        let Some((words, others)) = rest.split_at_checked(length).filter(|_| length > 0) else {
            joined.extend_from_slice(rest);
            break;
        };
        match *words {
            [head, kind, result, base, ref indices @ ..] if head & 0xffff == OP_ACCESS_CHAIN => {
                let mut path = chains.get(&base).cloned().unwrap_or_else(|| vec![base]);
                path.extend_from_slice(indices);
                joined.extend([(path.len() as u32 + 3) << 16 | OP_ACCESS_CHAIN, kind, result]);
                joined.extend_from_slice(&path);
                chains.insert(result, path);
            }
            _ => joined.extend_from_slice(words),
        }
        rest = others;
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::{OP_ACCESS_CHAIN, with_whole_access_chains};

    const STORE: [u32; 3] = [0x0003_003e, 21, 9];
    const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0300, 0, 100, 0];

    fn chain(words: &[u32]) -> Vec<u32> {
        let mut chain = vec![(words.len() as u32 + 1) << 16 | OP_ACCESS_CHAIN];
        chain.extend_from_slice(words);
        chain
    }

    #[test]
    fn a_chain_on_a_chain_begins_at_the_variable() {
        let two = [HEADER.to_vec(), chain(&[1, 20, 10, 0]), chain(&[2, 21, 20, 7]), STORE.to_vec()];
        let one = [HEADER.to_vec(), chain(&[1, 20, 10, 0]), chain(&[2, 21, 10, 0, 7]), STORE.to_vec()];
        assert_eq!(with_whole_access_chains(&two.concat()), one.concat());
    }

    #[test]
    fn what_is_no_module_stays_as_it_is() {
        for words in [&[][..], &[1, 2, 3], &[0; 9], &[1, 2, 3, 4, 5, u32::MAX, 7]] {
            assert_eq!(with_whole_access_chains(words), words);
        }
    }
}
