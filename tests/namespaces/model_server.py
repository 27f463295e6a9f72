"""`python -m namespaces.model_server DIR BYTES_PER_SECOND`: the model of a directory, with Hugging Face's addresses."""

import json
import sys
import threading
from pathlib import Path

from models.hostile_server import HostileServer, slow

directory, bytes_per_second = Path(sys.argv[1]), int(sys.argv[2])
with HostileServer({file.name: file.read_bytes() for file in directory.iterdir()}) as server:
    for weights in directory.glob("*.safetensors"):
        server.always[weights.name] = slow(bytes_per_second)
    print(json.dumps({"say": "ready", "address": server.address}), flush=True)
    threading.Event().wait()
