"""Serves a built site on this machine, for as long as a test needs it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site below a path of the host, like a project page, with its 404 pages."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *request, path: str, published: str, **others) -> None:
        self.below, self.published = path, published
        super().__init__(*request, **others)

    def do_GET(self) -> None:
        """Material's instant navigation only visits pages in the sitemap."""
        if not self.published or not self.path.endswith("/sitemap.xml"):
            return super().do_GET()
        here = f"http://{self.headers['Host']}{self.below}"
        text = Path(self.translate_path(self.path)).read_text("utf-8")
        self._answer(200, "application/xml", text.replace(self.published, here).encode())

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix(self.below) if path.startswith(self.below) else "outside/"
        return super().translate_path("/" + inside)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        edition = "en/" if self.path.startswith(f"{self.below}en/") else ""
        body = Path(self.directory, edition, "404.html").read_bytes()
        self._answer(code, "text/html; charset=utf-8", body)

    def _answer(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serve(folder: Path, path: str = "/book/", published: str = "") -> Iterator[str]:
    """The address of a site in `folder` (now or later), below `path` of a host.

    `published`: the address for which it was built, if that is another.
    """
    handler = functools.partial(Handler, directory=str(folder), path=path, published=published)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{path}"
        server.shutdown()
