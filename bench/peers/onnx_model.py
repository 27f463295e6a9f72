"""Writes the model as ONNX with onnxruntime's own operators: `onnx_model.py MODEL FILE`.

MatMulNBits without zero points is `scale * (q - 8)` in blocks, so it holds the very numbers of the model. Embeddings are
looked up outside (onnx_tokens.py): a row costs nothing beside a token.
"""

import sys

import numpy as np
import onnx
from model import GROUP, Model
from onnx import TensorProto, helper, numpy_helper
from tokens import POSITIONS

model, file = Model(sys.argv[1]), sys.argv[2]
config = model.config
hidden, epsilon = config["hidden_size"], config["rms_norm_eps"]
heads, kv_heads, head = config["num_attention_heads"], config["num_key_value_heads"], config["head_dim"]
nodes, weights = [], []


def constant(name, values):
    weights.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
    return name


def node(kind, inputs, outputs, domain="com.microsoft", **attributes):
    nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, name=outputs[0], **attributes))
    return outputs[0]


def product(x, name, y, columns):
    packed, scales = model.matrix(name)
    rows = packed.shape[0]
    packed = constant(f"{name}.weight", packed.reshape(rows, columns // GROUP, GROUP // 2))
    # Level 4 lets it compute in 8 bits, its fastest way.
    return node("MatMulNBits", [x, packed, constant(f"{name}.scales", scales.reshape(-1))], [y],
                K=columns, N=rows, bits=4, block_size=GROUP, accuracy_level=4)


def norm(x, name, y):
    weight = constant(name, model.vector(name))
    return node("SimplifiedLayerNormalization", [x, weight], [y], domain="", axis=-1, epsilon=epsilon)


def norm_of_sum(x, added, name, y):
    """The norm of a sum, and the sum."""
    node("SkipSimplifiedLayerNormalization", [x, added, constant(name, model.vector(name))],
         [y, "", "", f"{y}.sum"], epsilon=epsilon)
    return y, f"{y}.sum"


def by_heads(x, count, name):
    """Normalises each head."""
    apart = constant(f"{name}.apart", np.array([0, 0, count, head]))
    joined = constant(f"{name}.joined", np.array([0, 0, count * head]))
    normed = norm(node("Reshape", [x, apart], [f"{x}.apart"], domain=""), name, f"{x}.normed")
    return node("Reshape", [normed, joined], [f"{x}.joined"], domain="")


angles = np.outer(np.arange(POSITIONS), config["rope_theta"] ** (-np.arange(0, head, 2) / head))
cos = constant("cos", np.cos(angles).astype(np.float32))
sin = constant("sin", np.sin(angles).astype(np.float32))

normed, x = norm("x", "model.layers.0.input_layernorm.weight", "l0.in"), "x"
layers = config["num_hidden_layers"]
for i in range(layers):
    at, l = f"model.layers.{i}", f"l{i}"
    q = product(normed, f"{at}.self_attn.q_proj", f"{l}.q", hidden)
    k = product(normed, f"{at}.self_attn.k_proj", f"{l}.k", hidden)
    v = product(normed, f"{at}.self_attn.v_proj", f"{l}.v", hidden)
    if config["model_type"] == "qwen3":
        q = by_heads(q, heads, f"{at}.self_attn.q_norm.weight")
        k = by_heads(k, kv_heads, f"{at}.self_attn.k_norm.weight")
    attended = node("GroupQueryAttention", [q, k, v, f"past.{i}.k", f"past.{i}.v", "last", "total", cos, sin],
                    [f"{l}.attended", f"present.{i}.k", f"present.{i}.v"],
                    num_heads=heads, kv_num_heads=kv_heads, do_rotary=1, rotary_interleaved=0)
    out = product(attended, f"{at}.self_attn.o_proj", f"{l}.o", heads * head)
    normed, x = norm_of_sum(x, out, f"{at}.post_attention_layernorm.weight", f"{l}.mlp")
    gate = product(normed, f"{at}.mlp.gate_proj", f"{l}.gate", hidden)
    up = product(normed, f"{at}.mlp.up_proj", f"{l}.up", hidden)
    smooth = node("Mul", [gate, node("Sigmoid", [gate], [f"{l}.sigmoid"], domain="")], [f"{l}.silu"], domain="")
    wide = node("Mul", [smooth, up], [f"{l}.wide"], domain="")
    down = product(wide, f"{at}.mlp.down_proj", f"{l}.down", config["intermediate_size"])
    following = "model.norm.weight" if i + 1 == layers else f"model.layers.{i + 1}.input_layernorm.weight"
    normed, x = norm_of_sum(x, down, following, f"l{i + 1}.in")
last = node("Gather", [normed, constant("minus_one", np.array([-1]))], ["last_row"], domain="", axis=1)
product(last, "model.embed_tokens", "logits", hidden)

cache = [1, kv_heads, POSITIONS, head]
ends = [f"{i}.{part}" for i in range(layers) for part in "kv"]
value = helper.make_tensor_value_info
graph = helper.make_graph(
    nodes,
    "model",
    [value("x", TensorProto.FLOAT, [1, "rows", hidden]), value("last", TensorProto.INT32, [1]),
     value("total", TensorProto.INT32, [1])] + [value(f"past.{end}", TensorProto.FLOAT, cache) for end in ends],
    [value("logits", TensorProto.FLOAT, [1, 1, config["vocab_size"]])]
    + [value(f"present.{end}", TensorProto.FLOAT, cache) for end in ends],
    weights,
)
opsets = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=10), file)
