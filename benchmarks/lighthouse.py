"""What Lighthouse says of four pages on a phone: the home page, words, a figure, a laboratory.

    python benchmarks/lighthouse.py

Builds the site, serves it compressed as a host does, and asks Lighthouse, which `npx` fetches;
needs Node and Chromium or Chrome. Performance depends on the machine; the rest doesn't.
"""

from __future__ import annotations

import gzip
import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofbook.export.pdf import browser_path  # noqa: E402

LIGHTHOUSE = "lighthouse@12.8.2"
PAGES = ("", "en/basics/leaf/", "accumulate/two-losses/", "labs/flow/")


class Compressed(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self.send_error(404)
            return
        body, whole = file.read_bytes(), file.suffix in (".png", ".woff2")
        body = body if whole else gzip.compress(body)
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(file)))
        if not whole:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def scores(address: str) -> dict[str, int]:
    command = ["npx", "--yes", LIGHTHOUSE, address, "--quiet", "--output=json"]
    flags = "--headless --no-sandbox --disable-gpu --disable-background-networking"
    done = subprocess.run(
        [*command, f"--chrome-flags={flags}"],
        env={**os.environ, "CHROME_PATH": browser_path()},
        capture_output=True,
        text=True,
        check=True,
    )
    categories = json.loads(done.stdout)["categories"]
    return {name: round(100 * told["score"]) for name, told in categories.items() if told["score"]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), partial(Compressed, directory=folder)
        )
        address = f"http://127.0.0.1:{server.server_port}/"
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
            cwd=ROOT,
            env={**os.environ, "SITE_URL": address},
            check=True,
        )
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for page in PAGES:
            told = ", ".join(f"{name} {score}" for name, score in scores(address + page).items())
            print(f"{'/' + page:28}{told}")


if __name__ == "__main__":
    main()
