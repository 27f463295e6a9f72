use serde_json::json;

use super::*;

/// The shape of Llama 3.2 1B.
fn llama() -> Value {
    json!({
        "model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 16, "intermediate_size": 8192,
        "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 64, "rms_norm_eps": 1e-5,
        "vocab_size": 128_256, "max_position_embeddings": 131_072, "rope_theta": 500_000.0,
        "rope_scaling": {"factor": 32.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
            "original_max_position_embeddings": 8192, "rope_type": "llama3"},
        "tie_word_embeddings": true,
    })
}

fn with(mut config: Value, changes: Value) -> Value {
    if let (Value::Object(config), Value::Object(changes)) = (&mut config, changes) {
        config.extend(changes);
    }
    config
}

#[test]
fn a_llama_is_read() {
    let model = Architecture::from_config(&llama()).unwrap();
    assert_eq!((model.hidden, model.vocabulary, model.layers.len()), (2048, 128_256, 16));
    let attention = model.layers[0].attention().unwrap();
    assert_eq!((attention.heads, attention.kv_heads, attention.head), (32, 8, 64));
    assert_eq!(attention.scale, 0.125);
    assert!(!attention.has_qk_norm && !attention.has_qkv_bias && model.is_tied);
}

#[test]
fn llama_3_stretches_long_waves_and_leaves_short_ones() {
    let plain = with(llama(), json!({"rope_scaling": null}));
    let angles = |config: &Value| {
        let mut angles = Vec::new();
        Architecture::from_config(config).unwrap().layers[0].attention().unwrap().rope.angles(1, &mut angles);
        angles
    };
    let (plain, scaled) = (angles(&plain), angles(&llama()));
    assert_eq!(plain.len(), 64);
    assert_eq!(plain[..2], scaled[..2], "the fastest pair turns as before");
    let (slow, stretched) = (f64::from(plain[63]), f64::from(scaled[63]));
    assert!((slow / stretched - 32.0).abs() < 0.01, "the slowest pair turns 32 times slower");
}

#[test]
fn qwen_2_has_biases_and_qwen_3_has_norms() {
    let config = |family| with(llama(), json!({"model_type": family, "rope_scaling": null}));
    let qwen2 = Architecture::from_config(&config("qwen2")).unwrap();
    let qwen3 = Architecture::from_config(&config("qwen3")).unwrap();
    assert!(
        qwen2.layers[0].attention().unwrap().has_qkv_bias
            && !qwen2.layers[0].attention().unwrap().has_qk_norm
    );
    assert!(!qwen2.layers[0].attention().unwrap().has_output_bias);
    assert!(
        !qwen3.layers[0].attention().unwrap().has_qkv_bias
            && qwen3.layers[0].attention().unwrap().has_qk_norm
    );
}

#[test]
fn sliding_layers_have_a_window_and_the_others_have_not() {
    let types = ["sliding_attention", "full_attention"].repeat(8);
    let config = with(llama(), json!({"layer_types": types, "sliding_window": 512}));
    let model = Architecture::from_config(&config).unwrap();
    assert_eq!(model.layers[0].attention().unwrap().window, Some(512));
    assert_eq!(model.layers[1].attention().unwrap().window, None);
}

#[test]
fn what_we_cannot_run_is_refused_by_name() {
    let refused = |changes| Architecture::from_config(&with(llama(), changes)).unwrap_err();
    let error = refused(json!({"model_type": "mixtral"}));
    assert_eq!(error.kind(), crate::ErrorKind::Unsupported);
    assert!(error.to_string().contains("mixtral"), "{error}");
    let error = refused(json!({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}));
    assert!(error.to_string().contains("yarn"), "{error}");
}

#[test]
fn absurd_numbers_are_errors_that_name_the_field() {
    for (field, value) in [
        ("hidden_size", json!(0)),
        ("hidden_size", json!(-1)),
        ("num_attention_heads", json!(0)),
        ("num_attention_heads", json!("32")),
        ("num_hidden_layers", json!(4_000_000_000_u32)),
        ("vocab_size", json!(u32::MAX)),
        ("head_dim", json!(3)),
        ("num_key_value_heads", json!(5)),
        ("rms_norm_eps", json!(0)),
        ("rope_theta", json!(f64::MAX)),
    ] {
        let error = Architecture::from_config(&with(llama(), json!({field: value.clone()})));
        assert!(error.is_err(), "{field} = {value}");
    }
    for field in ["hidden_size", "intermediate_size", "vocab_size", "num_hidden_layers"] {
        let mut config = llama();
        config.as_object_mut().unwrap().remove(field);
        let error = Architecture::from_config(&config).unwrap_err().to_string();
        assert!(error.contains(field), "{error}");
    }
}

#[test]
fn quantisation_may_differ_by_layer() {
    let config = json!({"quantization": {"bits": 4, "group_size": 64, "mode": "affine",
        "lm_head": {"bits": 8, "group_size": 32}, "model.norm": false}});
    let quantisation = Quantisation::from_config(&config).unwrap();
    let bits = |path| quantisation.of(path).map(|a| (a.bits, a.group));
    assert_eq!(bits("model.layers.0.mlp.up_proj"), Some((4, 64)));
    assert_eq!(bits("lm_head"), Some((8, 32)));
    assert_eq!(bits("model.norm"), None);
}

#[test]
fn other_quantisations_are_refused_by_name() {
    for (config, name) in [
        (json!({"quantization": {"bits": 3, "group_size": 64}}), "3-bit"),
        (json!({"quantization": {"bits": 4, "group_size": 16}}), "16"),
        (json!({"quantization": {"bits": 4, "group_size": 32, "mode": "mxfp4"}}), "mxfp4"),
        (json!({"quantization_config": {"quant_method": "gptq"}}), "gptq"),
    ] {
        let error = Quantisation::from_config(&config).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
}

/// The shape of Gemma 4 E2B, with fewer layers.
fn gemma() -> Value {
    json!({"model_type": "gemma4", "vocab_size": 262_144, "text_config": {
        "num_hidden_layers": 10, "num_kv_shared_layers": 4, "sliding_window_pattern": 5,
    }})
}

#[test]
fn gemma_4_shares_keys_of_the_last_layer_of_the_same_kind() {
    let model = Architecture::from_config(&gemma()).unwrap();
    let owners: Vec<_> = model.layers.iter().map(|layer| layer.attention().unwrap().reads_keys_of).collect();
    assert_eq!(owners, [None, None, None, None, None, None, Some(5), Some(5), Some(5), Some(4)]);
    assert_eq!(
        (model.layers[0].mlp, model.layers[6].mlp),
        (6144, 12_288),
        "layers that share are twice as wide"
    );
    assert_eq!(
        (model.layers[0].attention().unwrap().head, model.layers[4].attention().unwrap().head),
        (256, 512)
    );
    assert_eq!(
        (model.layers[0].attention().unwrap().window, model.layers[4].attention().unwrap().window),
        (Some(512), None)
    );
    assert_eq!((model.prefix.as_str(), model.logit_cap), ("language_model.model.", Some(30.0)));
}

#[test]
fn gemma_4_turns_a_quarter_of_the_pairs_where_it_sees_everything() {
    let model = Architecture::from_config(&gemma()).unwrap();
    let mut angles = Vec::new();
    model.layers[4].attention().unwrap().rope.angles(7, &mut angles);
    let turned = angles.chunks_exact(2).take_while(|pair| pair[1] != 0.0).count();
    assert_eq!((angles.len(), turned), (512, 64));
}

#[test]
fn gemmas_that_no_phone_holds_are_refused_by_name() {
    let mut config = gemma();
    config["text_config"]["enable_moe_block"] = true.into();
    let error = Architecture::from_config(&config).unwrap_err().to_string();
    assert!(error.contains("experts") && error.contains("E2B"), "{error}");
}

/// The shape of Qwen 3.5 0.8B.
fn qwen_3_5() -> Value {
    json!({
        "model_type": "qwen3_5",
        "text_config": {
            "hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 3584, "num_attention_heads": 8,
            "num_key_value_heads": 2, "head_dim": 256, "rms_norm_eps": 1e-6, "vocab_size": 248_320,
            "max_position_embeddings": 262_144, "full_attention_interval": 4, "linear_num_value_heads": 16,
            "linear_num_key_heads": 16, "linear_key_head_dim": 128, "linear_value_head_dim": 128,
            "linear_conv_kernel_dim": 4, "tie_word_embeddings": true,
            "rope_parameters": {"rope_type": "default", "rope_theta": 10_000_000, "partial_rotary_factor": 0.25,
                "mrope_section": [11, 11, 10]},
        },
    })
}

#[test]
fn a_qwen_3_5_remembers_in_three_layers_of_four_and_attends_in_the_fourth() {
    let model = Architecture::from_config(&qwen_3_5()).unwrap();
    let attends: Vec<_> = model.layers.iter().map(|layer| layer.attention().is_some()).collect();
    assert_eq!(attends, [false, false, false, true].repeat(6));
    let delta = model.layers[0].delta().unwrap();
    assert_eq!((delta.heads, delta.channels(), delta.values()), (16, 6144, 2048));
    let attention = model.layers[3].attention().unwrap();
    assert!(attention.has_gate && attention.has_qk_norm);
    assert_eq!(attention.rope.dims(), 64, "a quarter of a head turns");
}

#[test]
fn a_qwen_3_5_with_experts_is_refused_by_name() {
    let mut config = qwen_3_5();
    config["text_config"]["num_experts"] = json!(256);
    let error = Architecture::from_config(&config).unwrap_err();
    assert!(error.to_string().contains("experts"), "{error}");
}

#[test]
fn a_slice_has_its_part_of_heads_and_columns() {
    let model = Architecture::from_config(&llama()).unwrap();
    let slice = model.sliced(Slice { rank: 3, of: 4 }).unwrap();
    let attention = slice.layers[0].attention().unwrap();
    assert_eq!((attention.heads, attention.kv_heads, slice.layers[0].mlp), (8, 2, 2048));
    assert_eq!(Slice { rank: 3, of: 4 }.range(32), 24..32);
    for wrong in [Slice { rank: 0, of: 3 }, Slice { rank: 4, of: 4 }, Slice { rank: 0, of: 0 }] {
        assert!(model.sliced(wrong).is_err(), "{wrong:?}");
    }
}
