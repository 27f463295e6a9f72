"""Just enough HTTP/1.1 for exo's few addresses and for its probes."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

LONGEST_REQUEST = 16 << 10
LONGEST_BODY = 8 << 20

# From the header fields and the body to a status and JSON, or pieces of a stream of events.
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
    host: str,
    port: int,
    pages: dict[str, Callable[[], Any]],
    posts: dict[str, Post] | None = None,
    deletes: dict[str, Callable[[str], Awaitable[tuple[str, Any]]]] | None = None,
) -> None:
    """Answers GET, POST and DELETE for these paths with JSON; everything else is 404. `/x/{id}` takes any last word."""

    async def page(method: str, path: str, fields: dict[str, str], reader: asyncio.StreamReader) -> tuple[str, Any]:
        if method == "GET" and path in pages:
            return "200 OK", pages[path]()
        if method == "POST" and path in (posts or {}):
            length = int(fields.get("content-length", "0"))
            body = await reader.readexactly(min(length, LONGEST_BODY))
            return await (posts or {})[path](fields, body)
        where, _, word = path.rpartition("/")
        if method == "DELETE" and f"{where}/" in (deletes or {}):
            return await (deletes or {})[f"{where}/"](word)
        return "404 Not Found", {"detail": "Not Found"}

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
                method, path, _ = first.split(" ", 2)
                fields = {name.strip().lower(): value.strip() for name, _, value in (f.partition(":") for f in rest)}
                status, body = await page(method, path.split("?")[0], fields, reader)
            if isinstance(body, AsyncIterator):
                await _stream(body, reader, writer)
                return
            async with asyncio.timeout(10):
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

    async def _stream(pieces: AsyncIterator[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Until there are no more pieces, or whoever listens hangs up."""
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")
        gone = asyncio.ensure_future(reader.read(1))
        try:
            while True:
                piece = asyncio.ensure_future(anext(pieces, None))
                await asyncio.wait({piece, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done() or (text := await piece) is None:
                    piece.cancel()
                    await asyncio.wait({piece})
                    return
                writer.write(text.encode())
                await writer.drain()
        finally:
            gone.cancel()
            await pieces.aclose()

    server = await asyncio.start_server(answer, host, port, limit=LONGEST_REQUEST)
    await server.serve_forever()
