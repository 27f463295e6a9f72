"""Just enough HTTP/1.1 for exo's few addresses and for its probes."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

LONGEST_REQUEST = 16 << 10
LONGEST_BODY = 8 << 20

# From the header fields and the body to a status and JSON.
Post = Callable[[dict[str, str], bytes], Awaitable[tuple[str, Any]]]


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


async def serve(
    host: str, port: int, pages: dict[str, Callable[[], Any]], posts: dict[str, Post] | None = None
) -> None:
    """Answers GET and POST for these paths with JSON; everything else is 404."""

    async def page(method: str, path: str, fields: dict[str, str], reader: asyncio.StreamReader) -> tuple[str, Any]:
        if method == "GET" and path in pages:
            return "200 OK", pages[path]()
        if method == "POST" and path in (posts or {}):
            length = int(fields.get("content-length", "0"))
            body = await reader.readexactly(min(length, LONGEST_BODY))
            return await (posts or {})[path](fields, body)
        return "404 Not Found", {"detail": "Not Found"}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = first.split(" ", 2)
                fields = {name.strip().lower(): value.strip() for name, _, value in (f.partition(":") for f in rest)}
                status, body = await page(method, path.split("?")[0], fields, reader)
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
