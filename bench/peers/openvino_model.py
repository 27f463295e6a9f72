"""Writes the model as OpenVINO's own files: `openvino_model.py GGUF FOLDER`.

GenAI reads the GGUF file and saves what it made of it. It then ends with "contains dead weak ptr", because a tokenizer of
words that nobody says loses its parts. From the saved files without the tokenizer it runs, and tokens are all we give it.
"""

import sys
from pathlib import Path

import openvino_genai

gguf, folder = Path(sys.argv[1]), Path(sys.argv[2])
folder.mkdir(exist_ok=True)
# It saves beside what it read.
link = folder / "model.gguf"
link.unlink(missing_ok=True)
link.symlink_to(gguf.resolve())
try:
    openvino_genai.LLMPipeline(str(link), "CPU", enable_save_ov_model=True)
except RuntimeError as error:
    if not (folder / "openvino_model.xml").exists():
        raise SystemExit(str(error)) from error
for file in [link, *folder.glob("openvino_*tokenizer.*")]:
    file.unlink()
