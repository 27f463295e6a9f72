//! The models of the race: the shapes of real ones.

/// What decides how much work a token is.
pub struct Shape {
    /// Its folder, and the end of its rows' names.
    pub key: &'static str,
    /// The model that has this shape.
    pub name: &'static str,
    /// As `config.json` names the family.
    pub family: &'static str,
    pub hidden: usize,
    pub layers: usize,
    pub mlp: usize,
    pub heads: usize,
    pub kv_heads: usize,
    pub head: usize,
    pub vocabulary: usize,
    pub context: usize,
    pub epsilon: f64,
    pub rope: f64,
    /// Whether queries and keys are normalised by head.
    pub has_head_norms: bool,
}

pub const LLAMA: Shape = Shape {
    key: "llama",
    name: "Llama-3.2-1B",
    family: "llama",
    hidden: 2048,
    layers: 16,
    mlp: 8192,
    heads: 32,
    kv_heads: 8,
    head: 64,
    vocabulary: 128_256,
    context: 131_072,
    epsilon: 1e-5,
    rope: 500_000.0,
    has_head_norms: false,
};

pub const QWEN: Shape = Shape {
    key: "qwen",
    name: "Qwen3-0.6B",
    family: "qwen3",
    hidden: 1024,
    layers: 28,
    mlp: 3072,
    heads: 16,
    kv_heads: 8,
    head: 128,
    vocabulary: 151_936,
    context: 40_960,
    epsilon: 1e-6,
    rope: 1_000_000.0,
    has_head_norms: true,
};

/// Weights that share a scale.
pub const GROUP: usize = 64;

/// A matrix: its name without an ending, its rows and its columns.
pub type Matrix = (String, usize, usize);

impl Shape {
    /// All matrices. The embedding is the head as well.
    pub fn matrices(&self) -> Vec<Matrix> {
        let (queries, keys) = (self.heads * self.head, self.kv_heads * self.head);
        let mut all = vec![("model.embed_tokens".to_owned(), self.vocabulary, self.hidden)];
        for layer in 0..self.layers {
            let mut add = |part: &str, rows, columns| {
                all.push((format!("model.layers.{layer}.{part}_proj"), rows, columns));
            };
            add("self_attn.q", queries, self.hidden);
            add("self_attn.k", keys, self.hidden);
            add("self_attn.v", keys, self.hidden);
            add("self_attn.o", self.hidden, queries);
            add("mlp.gate", self.mlp, self.hidden);
            add("mlp.up", self.mlp, self.hidden);
            add("mlp.down", self.hidden, self.mlp);
        }
        all
    }

    /// All norms, with their lengths.
    pub fn norms(&self) -> Vec<(String, usize)> {
        let mut all = vec![("model.norm.weight".to_owned(), self.hidden)];
        for layer in 0..self.layers {
            let mut add =
                |part: &str, length| all.push((format!("model.layers.{layer}.{part}.weight"), length));
            add("input_layernorm", self.hidden);
            add("post_attention_layernorm", self.hidden);
            if self.has_head_norms {
                add("self_attn.q_norm", self.head);
                add("self_attn.k_norm", self.head);
            }
        }
        all
    }

    /// Bytes that a token has to read: every weight once, and the keys and values of its context in f16.
    pub fn bytes_of_a_token(&self, context: usize) -> usize {
        let of_matrix = |(_, rows, columns): &Matrix| rows * columns / 2 + rows * columns / GROUP * 4;
        let weights: usize = self.matrices().iter().map(of_matrix).sum();
        weights + context * self.layers * self.kv_heads * self.head * 2 * 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shapes_have_as_many_weights_as_the_models_whose_names_they_bear() {
        let weights =
            |shape: &Shape| shape.matrices().iter().map(|(_, rows, columns)| rows * columns).sum::<usize>();
        assert_eq!(weights(&LLAMA), 1_235_746_816);
        assert_eq!(weights(&QWEN), 595_984_384);
    }

    #[test]
    fn a_token_reads_four_and_a_half_bits_of_each_weight_and_its_context() {
        assert_eq!(LLAMA.bytes_of_a_token(0), 1_235_746_816 / 16 * 9);
        assert_eq!(LLAMA.bytes_of_a_token(1) - LLAMA.bytes_of_a_token(0), 32_768);
    }
}
