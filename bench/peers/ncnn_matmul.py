"""ncnn's Gemm layer on Vulkan in f32.

Its Python API runs nets from host to host, so a net of one layer would pay for a transfer both ways. The net here
has LAYERS products in a row (the weights divided so that nothing overflows), and the time is divided by them.
"""

import tempfile
from pathlib import Path

import ncnn
import numpy as np
from peer import SIZE, inputs, serve

LAYERS = 2
# Gemm: B transposed (3), B and C constant (5, 6), no C (10), N and K (8, 9).
GEMM = f"3=1 5=1 6=1 7=0 8={SIZE} 9={SIZE} 10=-1"

x, w = inputs()


def net(layers, weights):
    made = ncnn.Net()
    made.opt.use_vulkan_compute = True
    made.opt.num_threads = 2
    for name in ("fp16_packed", "fp16_storage", "fp16_arithmetic", "bf16_packed", "bf16_storage", "int8_inference"):
        setattr(made.opt, f"use_{name}", False)
    blobs = ["x"] + [f"b{i}" for i in range(1, layers)] + ["y"]
    lines = ["7767517", f"{layers + 1} {layers + 1}", "Input x 0 1 x"]
    lines += [f"Gemm g{i} 1 1 {blobs[i]} {blobs[i + 1]} {GEMM}" for i in range(layers)]
    with tempfile.TemporaryDirectory() as folder:
        param, model = Path(folder) / "net.param", Path(folder) / "net.bin"
        param.write_text("\n".join(lines) + "\n")
        model.write_bytes((b"\0\0\0\0" + weights.tobytes()) * layers)  # four zero bytes: what follows is f32
        if made.load_param(str(param)) or made.load_model(str(model)):
            raise SystemExit("ncnn refused the net")
    return made


def run(made):
    extractor = made.create_extractor()
    extractor.input("x", ncnn.Mat(x))
    status, y = extractor.extract("y")
    if status:
        raise SystemExit(f"ncnn's extract ended with {status}")
    return np.array(y)


if ncnn.get_gpu_count() == 0:
    raise SystemExit("ncnn sees no Vulkan device")
chain = net(LAYERS, w / 32)
serve("ncnn", f"{ncnn.__version__} ({LAYERS} in a row)", run(net(1, w)), lambda: run(chain), LAYERS)
