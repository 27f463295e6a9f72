"""Just enough HTTP/1.1 for exo's three addresses and for its probes."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

LONGEST_REQUEST = 16 << 10


async def get(host: str, port: int, path: str, timeout: float) -> str | None:
    """The body of a 200, or nothing."""
    try:
        async with asyncio.timeout(timeout):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                shown = f"[{host}]" if ":" in host else host
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {shown}:{port}\r\nConnection: close\r\n\r\n".encode())
                head, _, body = (await reader.read(LONGEST_REQUEST)).partition(b"\r\n\r\n")
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
    return body.decode("utf-8", "replace") if head.split(b" ")[1:2] == [b"200"] else None


async def serve(host: str, port: int, pages: dict[str, Callable[[], Any]]) -> None:
    """Answers GET for these paths with JSON; everything else is 404."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                head = await reader.readuntil(b"\r\n\r\n")
                method, path, _ = head.split(b"\r\n", 1)[0].decode("latin-1").split(" ", 2)
                page = pages.get(path.split("?")[0]) if method == "GET" else None
                status, body = ("200 OK", page()) if page else ("404 Not Found", {"detail": "Not Found"})
                text = json.dumps(body).encode()
                writer.write(
                    f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(text)}\r\n"
                    "access-control-allow-origin: *\r\nconnection: close\r\n\r\n".encode()
                    + text
                )
                await writer.drain()
        except (OSError, TimeoutError, ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, host, port, limit=LONGEST_REQUEST)
    await server.serve_forever()
