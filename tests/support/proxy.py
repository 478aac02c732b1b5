"""A TCP proxy that treats connections badly: delays, stalls, cuts, and cuts in the middle of a message."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable


class Proxy:
    """Forwards to a server.

    Args:
        target: ``host:port``.

    Attributes:
        address: where it listens, once started.
        delay: seconds that every piece of data is held back, in each direction.
        stalled: nothing is forwarded while this is set; connections stay open.
        connections: that were made so far.
        cuts: how often all connections were broken in the middle of something.
    """

    def __init__(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self._target = host, int(port)
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._writers: set[asyncio.StreamWriter] = set()
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._fuse = -1
        self._next_fuse: Callable[[], int] | None = None
        self.address = ""
        self.delay = 0.0
        self.connections = 0
        self.cuts = 0

    async def __aenter__(self) -> Proxy:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.address = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Break every connection now, without a goodbye."""
        for writer in list(self._writers):
            writer.transport.abort()

    def cut_again_and_again(self, sizes: Callable[[], int]) -> None:
        """Let so many bytes through, then break every connection, most likely within a message; and so on."""
        self._next_fuse = sizes
        self._fuse = sizes()

    def stall(self) -> None:
        """Forward nothing more, as a cable that was pulled out."""
        self._flowing.clear()

    def go_on(self) -> None:
        """Forward again."""
        self._flowing.set()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with contextlib.suppress(OSError):
            further_reader, further_writer = await asyncio.open_connection(*self._target)
            for source, sink in ((reader, further_writer), (further_reader, writer)):
                task = asyncio.create_task(self._forward(source, sink))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            return
        writer.close()

    async def _forward(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        self._writers.add(sink)
        try:
            while data := await source.read(65536):
                await self._flowing.wait()
                if self.delay:
                    await asyncio.sleep(self.delay)
                if self._next_fuse is not None and self._fuse < len(data):
                    sink.write(data[: self._fuse])
                    await sink.drain()
                    self._fuse = self._next_fuse()
                    self.cuts += 1
                    self.cut()
                    return
                self._fuse -= len(data)
                sink.write(data)
                await sink.drain()
        except OSError:
            pass
        finally:
            self._writers.discard(sink)
            sink.close()
