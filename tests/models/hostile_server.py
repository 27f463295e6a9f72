"""A server of models on loopback that lies, cuts, stalls and redirects as a test tells it.

It writes HTTP by hand: a library would refuse to say what some of these servers say.
"""

import hashlib
import json
import socket
import socketserver
import threading
import time

MODEL = "org/tiny"
SHARD = "model-00001-of-00002.safetensors"
OTHER_SHARD = "model-00002-of-00002.safetensors"
INDEX = "model.safetensors.index.json"


def tiny_model(shard_bytes=2_000_000):
    def noise(name, length):
        return hashlib.shake_128(name.encode()).digest(length)

    index = {"metadata": {}, "weight_map": {"a": SHARD, "b": OTHER_SHARD}}
    return {
        "config.json": b'{"model_type": "llama"}',
        "tokenizer.json": b'{"model": {}}',
        "chat_template.jinja": b"",
        INDEX: json.dumps(index).encode(),
        SHARD: noise("a", shard_bytes),
        OTHER_SHARD: noise("b", shard_bytes // 3),
        "model-old.safetensors": b"not in the index",
        "README.md": b"# Tiny",
    }


def listing(files):
    entries = []
    for path, content in files.items():
        blob = hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        entry = {"type": "file", "oid": blob, "size": len(content), "path": path}
        if path.endswith(".safetensors"):
            entry["lfs"] = {"oid": hashlib.sha256(content).hexdigest(), "size": len(content), "pointerSize": 134}
        entries.append(entry)
    return json.dumps(entries).encode()


class HostileServer(socketserver.ThreadingTCPServer):
    """`script[name]` holds what happens to the next requests for a file (or `list`); afterwards it is served."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, files=None):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = files or tiny_model()
        self.script = {}
        self.always = {}
        self.asked = []
        self.is_over = threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_address[1]}"

    def times_asked(self, name):
        return sum(asked == name for asked, _ in self.asked)

    def ranges(self, name):
        return [headers.get("range") for asked, headers in self.asked if asked == name]

    def act(self, name):
        acts = self.script.get(name)
        return acts.pop(0) if acts else self.always.get(name, serve)

    def __exit__(self, *_):
        self.is_over.set()
        self.shutdown()
        self.server_close()


class Answer:
    """One request, and the ways to answer it."""

    def __init__(self, server, connection, name, path, headers):
        self.server, self.connection, self.path, self.headers = server, connection, path, headers
        self.body = listing(server.files) if name == "list" else server.files.get(name)
        asked = headers.get("range", "")
        self.start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0

    def head(self, status, **headers):
        lines = [f"HTTP/1.1 {status} x", "Connection: close"]
        lines += [f"{key.replace('_', '-')}: {value}" for key, value in headers.items()]
        self.send("\r\n".join(lines).encode() + b"\r\n\r\n")

    def honest_head(self):
        size = len(self.body)
        if self.start:
            self.head(206, Content_Length=size - self.start, Content_Range=f"bytes {self.start}-{size - 1}/{size}")
        else:
            self.head(200, Content_Length=size, ETag='"v1"')

    def send(self, data):
        self.connection.sendall(data)

    def rest(self):
        return self.body[self.start :]


class _Handler(socketserver.BaseRequestHandler):
    def handle(self):
        request = b""
        while b"\r\n\r\n" not in request:
            received = self.request.recv(65536)
            if not received:
                return
            request += received
        first, *lines = request.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
        path = first.split(" ")[1]
        headers = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines}
        name = "list" if path.startswith("/api/") else path.rsplit("/", 1)[-1]
        self.server.asked.append((name, headers))
        answer = Answer(self.server, self.request, name, path, headers)
        try:
            if answer.body is None:
                answer.head(404, Content_Length=0)
            else:
                self.server.act(name)(answer)
        except OSError:
            pass  # the client had enough, which is what most of these tests want


def serve(answer):
    answer.honest_head()
    answer.send(answer.rest())


def status(code, **headers):
    def act(answer):
        answer.head(code, Content_Length=0, **headers)

    return act


def cut_after(count):
    def act(answer):
        answer.honest_head()
        answer.send(answer.rest()[:count])
        # A reset, not an orderly end.
        answer.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    return act


def silent_after(count):
    def act(answer):
        answer.honest_head()
        answer.send(answer.rest()[:count])
        answer.server.is_over.wait(30)

    return act


def slow(bytes_per_second):
    def act(answer):
        answer.honest_head()
        rest, step = answer.rest(), bytes_per_second // 20
        for at in range(0, len(rest), step):
            answer.send(rest[at : at + step])
            time.sleep(0.05)

    return act


def flip(answer):
    rest = bytearray(answer.rest())
    rest[-1] ^= 1
    answer.honest_head()
    answer.send(rest)


def endless(answer):
    answer.head(200)
    answer.send(answer.body)
    while not answer.server.is_over.is_set():
        answer.send(b"x" * 65536)


def says_length(length):
    def act(answer):
        answer.head(200, Content_Length=length)
        answer.send(answer.body)

    return act


def ignores_the_range(answer):
    answer.start = 0
    serve(answer)


def wrong_range(answer):
    size, start = len(answer.body), answer.start // 2
    answer.head(206, Content_Length=size - start, Content_Range=f"bytes {start}-{size - 1}/{size}")
    answer.send(answer.body[start:])


def web_page(answer):
    page = b"<html>Sign in to the hotel's network</html>"
    answer.head(200, Content_Type="text/html", Content_Length=len(page))
    answer.send(page)


def redirect(to):
    def act(answer):
        answer.head(302, Location=to(answer.path), Content_Length=0)

    return act
