"""Which files are watched while the site is served, and what wakes the server."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator

from mkdocs.livereload import LiveReloadServer
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.polling import PollingObserver

CHANGES = ("created", "modified", "deleted", "moved")
"""Events after which a file may be another; that it was opened or closed says nothing."""


class Watcher:
    """Watches files for a server of MkDocs, which by itself looks at all of them twice a second.

    `paths`: files and folders to watch besides those that the server watches.
    """

    def __init__(self, server: LiveReloadServer, paths: Iterable[str]) -> None:
        self._server = server
        watched = list(server._watched_paths)
        server._watched_paths.clear()
        server._watch_refs.clear()
        server.observer = _observer()
        server.watch = self._watch
        for path in dict.fromkeys([*watched, *paths]):
            self._watch(path)

    def other_files(self, texts: Collection[str]) -> dict[str, tuple[int, int]]:
        """Size and time of each watched file that is none of `texts`."""
        found = {}
        for path in self._server._watched_paths:
            for file in _files_below(path):
                if file not in texts and not _is_passing(file):
                    with contextlib.suppress(OSError):  # it has gone, or leads nowhere
                        status = os.stat(file)
                        found[file] = status.st_size, status.st_mtime_ns
        return found

    def _watch(self, path: str, func: None = None, *, recursive: bool = True) -> None:
        """As `LiveReloadServer.watch`, for an observer that also sees files being read."""
        path = os.path.abspath(path)
        if path in self._server._watched_paths:
            self._server._watched_paths[path] += 1
            return
        self._server._watched_paths[path] = 1
        handler = _Changes(self._wake)
        self._server._watch_refs[path] = self._server.observer.schedule(
            handler, path, recursive=recursive
        )

    def _wake(self) -> None:
        with self._server._rebuild_cond:
            self._server._want_rebuild = True
            self._server._rebuild_cond.notify_all()


class _Changes(FileSystemEventHandler):
    """Calls a function after each event that may have changed a file."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in CHANGES and not _is_passing(os.fsdecode(event.src_path)):
            self._wake()


def _observer():
    """One that the system tells of changes; where it can't, one that looks every 0.2 s."""
    try:
        observer = Observer()
        observer.schedule(FileSystemEventHandler(), os.getcwd(), recursive=False)
        observer.unschedule_all()
        return observer
    except OSError:  # too many files for inotify
        return PollingObserver(timeout=0.2)


def _is_passing(path: str) -> bool:
    """Whether a file is one that comes and goes by itself: of an editor, of Python."""
    name = os.path.basename(path)
    return name.startswith(".") or name.endswith(("~", ".pyc", ".new")) or "__pycache__" in path


def _files_below(path: str) -> Iterator[str]:
    if os.path.isfile(path):
        yield path
    for folder, folders, names in os.walk(path):
        folders[:] = [name for name in folders if not name.startswith((".", "__pycache__"))]
        yield from (os.path.join(folder, name) for name in names)
