"""How the tests serve a site."""

from __future__ import annotations

import http.server
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site under /book/, as a project page is hosted, with its own 404 page."""

    protocol_version = "HTTP/1.1"

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix("/book/") if path.startswith("/book/") else "outside-the-book"
        return super().translate_path("/" + inside)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        edition = "en/" if self.path.startswith("/book/en/") else ""
        body = Path(self.directory, edition, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass
