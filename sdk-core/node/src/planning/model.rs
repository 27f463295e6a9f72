//! A model card as the planner sees it: a row of layers.
//!
//! A card tells the size of all weights, the number of layers, the width and the heads of keys and values. It does not
//! tell which bytes are whose, so they are spread evenly, as exo itself counts them.

use exo_telemetry::placement::{Layer, Model};
use exo_wire::card::ModelCard;

use super::assumption::{Assumption, amount};

/// Keys, values and activations are kept in 16 bits.
const HALF: f64 = 2.0;
/// A key or value has so many numbers in nearly every model that exo lists.
const HEAD_WIDTH: f64 = 128.0;
/// Each weight is multiplied and added once a token.
const FLOPS_PER_WEIGHT: f64 = 2.0;
/// What a weight takes where the card does not say: the fewer, the more work each byte is.
const USUAL_BITS: f64 = 4.0;

pub(super) fn of_card(card: &ModelCard, assumptions: &mut Vec<Assumption>) -> Model {
    let mut assume = |unknown: &str, taken: String, because: &str| {
        assumptions.push(Assumption {
            about: "model".to_owned(),
            device: None,
            unknown: unknown.to_owned(),
            taken,
            because: because.to_owned(),
        });
    };
    let (layers, width) = (f64::from(card.n_layers.get()), f64::from(card.hidden_size.get()));
    let bytes = card.storage_size.in_bytes() as f64 / layers;
    assume(
        "where its bytes are is not told",
        format!("{} a layer taken", amount(bytes, "B")),
        "all weights spread evenly, embedding and head with them, as exo counts",
    );
    assume(
        "which weights a token reads is not told",
        "all of them taken".to_owned(),
        "a model of many experts reads fewer, and is faster than this plan says",
    );
    let bits = bits(&card.quantization).unwrap_or_else(|| {
        let because = "the usual; it decides only where computing takes longer than reading";
        assume("how many bits a weight has is not told", format!("{USUAL_BITS:.0} taken"), because);
        USUAL_BITS
    });
    let keys = if let Some(heads) = card.num_key_value_heads {
        let because = "nearly every model has this";
        assume("the width of a head is not told", format!("{HEAD_WIDTH:.0} numbers taken"), because);
        f64::from(heads.get()) * HEAD_WIDTH
    } else {
        let because = "its whole width, the most that there can be";
        assume(
            "the heads of keys and values are not told",
            format!("{width:.0} numbers a key taken"),
            because,
        );
        width
    };
    let layer =
        Layer { bytes, flops: FLOPS_PER_WEIGHT * bytes * 8.0 / bits, kv_bytes_per_token: 2.0 * keys * HALF };
    Model {
        layers: vec![layer; card.n_layers.get() as usize],
        embedding_bytes: 0.0,
        head_bytes: 0.0,
        activation_bytes: width * HALF,
    }
}

/// Bits a weight, from words such as `4bit`, `8bit-gs32`, `bf16`, `MXFP4-Q8`.
fn bits(quantization: &str) -> Option<f64> {
    let words = quantization.to_ascii_lowercase();
    let before = |end: &str| {
        let (before, _) = words.split_once(end)?;
        let digits = before.len() - before.trim_end_matches(|c: char| c.is_ascii_digit()).len();
        before.get(before.len() - digits..)?.parse::<u32>().ok()
    };
    let after = |start: &str| {
        let (_, after) = words.split_once(start)?;
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        after.get(..digits)?.parse::<u32>().ok()
    };
    let bits = before("bit").or_else(|| after("bf")).or_else(|| after("fp")).or_else(|| after("int"));
    bits.filter(|bits| (1..=32).contains(bits)).map(f64::from)
}

#[cfg(test)]
mod tests {
    use super::bits;

    #[test]
    fn the_bits_of_a_weight_are_read_from_what_exo_calls_its_quantisation() {
        let known = [("4bit", 4.0), ("8bit-gs32", 8.0), ("bf16", 16.0), ("MXFP4-Q8", 4.0), ("fp16", 16.0)];
        for (words, expected) in known {
            assert_eq!(bits(words), Some(expected), "{words}");
        }
        for unknown in ["", "bit", "999bit", "DQ", "0bit"] {
            assert_eq!(bits(unknown), None, "{unknown}");
        }
    }
}
