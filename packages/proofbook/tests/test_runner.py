"""The runner: which runs count, which are refused and in what words; no run harms another."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path

import pytest
from proofbook.run import child
from proofbook.run.judge import Result, refused
from proofbook.run.runner import Runner, RunnerError
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import write

LINUX = Path(f"/proc/self/task/{os.getpid()}/children").exists()
needs_linux = pytest.mark.skipif(
    not LINUX,
    reason="only Linux gives orphaned processes to the runner",
)
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
needs_two_cores = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity") or len(os.sched_getaffinity(0)) < 2,
    reason="scripts run at the same time only where there are two cores",
)

FINE = "print('fine')\n"
SLEEP = "[sys.executable, '-c', 'import time; time.sleep(1000)']"
DOUBLE_FORK = """\
import os, time
print('x')
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 3)
        time.sleep(1000)
    os._exit(0)
os.wait()
"""
RAISES, FLOODS, READS, PRINTS_NOTHING, LEAVES_FILES, LEAVES_THREAD, LEAVES_PROCESS, VANISHES = (
    "the script raises",
    "the script prints too much",
    "the script reads its standard input",
    "the script prints nothing",
    "the script leaves files behind",
    "the script leaves a thread behind",
    "the script leaves a process behind",
    "the script stopped before its end, without an error",
)
Case = tuple[str | bytes, int, str, str]
"""A script, the line that is named, what is wrong, and what was found; `{tmp}` is the folder."""

# What happens in the same way in a fork of the server and in an interpreter of its own.
ANYWHERE: dict[str, Case] = {
    "it raises within a function": (
        "def f():\n    return 1 / 0\n\nprint(1)\nf()\n",
        2,
        RAISES,
        "ZeroDivisionError: division by zero",
    ),
    "a syntax error": (
        "print(1)\nx = = 2\n",
        2,
        RAISES,
        'File "{tmp}/script.py", line 2\n    x = = 2\n        ^\nSyntaxError: invalid syntax',
    ),
    "a missing module": (
        "print(1)\nimport no_such_module_anywhere\n",
        2,
        "the script needs a module that is not installed",
        "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
    ),
    "os._exit(3)": (
        "import os\nprint(1, flush=True)\nos._exit(3)\n",
        3,
        VANISHES,
        "the process vanished with exit status 3 (os._exit?)",
    ),
    "it prints nothing": ("x = 1\n\ny = 2\n", 3, PRINTS_NOTHING, "no output"),
    "a flood before a loop": (
        "print('x' * 100_000, flush=True)\nwhile True: pass\n",
        1,
        FLOODS,
        "more than 64 kB; it was stopped",
    ),
    "100 MB on standard error": (
        "import sys\nfor i in range(1_000_000):\n    print('x' * 100, file=sys.stderr)\n",
        3,
        FLOODS,
        "more than 64 kB; it was stopped",
    ),
    "a file in its folder": (
        "print(open(__file__).readable())\nwith open('a.txt', 'w') as file:\n    file.write('a')\n",
        2,
        LEAVES_FILES,
        "a.txt",
    ),
    "a file in the temporary folder": (
        "import os, tempfile\nprint(1)\n"
        "open(os.path.join(tempfile.gettempdir(), 'a.txt'), 'w').close()\n",
        3,
        LEAVES_FILES,
        "a.txt",
    ),
    "a file moved elsewhere": (
        "import os\nprint(1)\nopen('a.txt', 'w').close()\nos.rename('a.txt', __file__ + '.txt')\n",
        4,
        LEAVES_FILES,
        "{tmp}/script.py.txt",
    ),
    "another process reads its input": (
        "import subprocess, sys\nprint(1)\nread = 'import sys; sys.stdin.read()'\n"
        "subprocess.run([sys.executable, '-c', read])\n",
        3,
        READS,
        "standard input was read",
    ),
    "a daemon thread": (
        "from threading import Thread\nimport time\nprint(1)\n"
        "Thread(target=time.sleep, args=(1000,), name='idler', daemon=True).start()\n",
        4,
        LEAVES_THREAD,
        "idler",
    ),
    "not UTF-8": (
        "print(1)\nprint('\xe4')\n".encode("latin-1"),
        2,
        "the file is not UTF-8",
        "the byte 0xe4 at position 16: invalid continuation byte",
    ),
    "sys.exit(words)": (
        "def f():\n    raise SystemExit('no luck')\n\nprint(1)\nf()\n",
        2,
        "the script ends with a failure",
        "exit status 1\nno luck",
    ),
    "a warning": (
        "import warnings\nprint('warn')\nwarnings.warn('old')\n",
        3,
        "the script prints to standard error",
        "{tmp}/script.py:3: UserWarning: old\n  warnings.warn('old')",
    ),
    "a traceback": (
        "import sys, traceback\ntry:\n    1 / 0\nexcept ZeroDivisionError:\n"
        "    traceback.print_exc(file=sys.stdout)\n",
        5,
        "the script prints a path of this machine",
        '  File "{tmp}/script.py", line 3, in <module>',
    ),
}
LEFT = "a child process was still running; it was stopped"
ON_LINUX: dict[str, Case] = {
    "os.abort()": (
        "import os\nprint(1)\nos.abort()\n",
        3,
        "the script was killed by a signal",
        "SIGABRT",
    ),
    "a process": (
        f"import subprocess, sys\nprint(1)\nsubprocess.Popen({SLEEP})\n",
        3,
        LEAVES_PROCESS,
        LEFT,
    ),
    "a double fork": (DOUBLE_FORK, 3, LEAVES_PROCESS, LEFT),
    "a process of the shell": (
        "import os\nprint(1)\nos.system('setsid sleep 1000 > /dev/null 2>&1 < /dev/null &')\n",
        3,
        LEAVES_PROCESS,
        LEFT,
    ),
}
CASES = ANYWHERE | (ON_LINUX if LINUX else {})


def is_refused(run: Result, case: Case, folder: Path) -> None:
    _, line, what, found = case
    found = found.replace("{tmp}/", f"{folder}{os.sep}")
    assert (run.refusal.line, run.refusal.what, run.refusal.found) == (line, what, found)


def runs_on(runner: Runner, tmp: Path) -> bool:
    result = runner.submit(write(tmp / "next.py", FINE)).result(PATIENCE)
    return (result.stdout, result.refusal) == ("fine\n", None)


Runs = dict[str, tuple[Path, Future[Result]]]


@pytest.fixture(scope="module", params=["runner", "fresh_runner"])
def started(request, tmp_path_factory) -> tuple[Runner, Runs]:
    """All cases at once: what one leaves behind must not be held against another."""
    runner, runs = request.getfixturevalue(request.param), {}
    for name, (source, *_) in CASES.items():
        home = tmp_path_factory.mktemp("case")
        runs[name] = home, runner.submit(write(home / "script.py", source))
    return runner, runs


@pytest.mark.parametrize("name", CASES)
def test_refuses_and_goes_on(started, name, tmp_path):
    runner, runs = started
    folder, run = runs[name]
    assert Path(run.result(PATIENCE).path) == folder / "script.py"
    is_refused(run.result(), CASES[name], folder)
    assert runs_on(runner, tmp_path)


def test_a_refusal_says_what_was_expected_and_what_fixes_it(run):
    refusal = refused("script.py", run("print(1)\nx = input()\n"))
    assert str(refusal) == (
        "script.py:2: the script reads its standard input\n"
        "  expected: a script that needs nobody at the keyboard\n"
        "  found:    standard input was read\n"
        "  fix:      write the value into the script; then: proofbook check script.py"
    )


def test_refuses_a_script_that_does_not_exist(runner, tmp_path):
    refusal = runner.submit(tmp_path / "script.py").result(PATIENCE).refusal
    assert (refusal.what, refusal.line) == ("the script cannot be run", 1)
    assert "No such file" in refusal.found


@pytest.mark.parametrize("kind", ["runner", "fresh_runner"])
def test_stops_a_loop_and_names_its_line(request, run, monkeypatch, tmp_path, kind):
    by = request.getfixturevalue(kind)
    monkeypatch.setattr(by, "limit", 0.5)
    # A name that is not ASCII is written in another way where the line is noted.
    result = run("print(1)\n\nwhile True:\n    pass\n", "循环/script.py", by=by)
    refusal = result.refusal
    assert (refusal.what, refusal.line in (3, 4)) == ("the script does not end", True)
    assert refusal.found == "still running after 0.5 s; it was stopped"
    assert result.seconds < 10
    assert runs_on(by, tmp_path)


def test_a_script_that_compiles_may_take_longer(run, runner, monkeypatch):
    monkeypatch.setattr(runner, "limit", 0.25)
    result = run("print(1)\nwhile True:\n    'torch.compile('\n")
    assert result.refusal.found == "still running after 1.5 s; it was stopped"


# What must count, and print the same as with `python script.py`.
ALLOWED = {
    "a process that is waited for": (
        "import subprocess, sys\nprint('a', flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'print(1)'], check=True)\nprint('b')\n",
        "a\n1\nb\n",
    ),
    "a thread that is joined at the end": (
        "import atexit, threading\ngo = threading.Event()\n"
        "t = threading.Thread(target=lambda: print('in', go.wait()), daemon=True)\n"
        "t.start()\natexit.register(lambda: (go.set(), t.join()))\nprint('out')\n",
        "out\nin True\n",
    ),
    "a temporary file that is open at the end": (
        "import tempfile\nfile = tempfile.NamedTemporaryFile()\nprint(len(file.read()))\n",
        "0\n",
    ),
    "its own folder removed": (
        "import os, shutil\nshutil.rmtree(os.getcwd())\ntry:\n    open('a.txt', 'w')\n"
        "except FileNotFoundError as error:\n    print(error.filename)\n",
        "a.txt\n",
    ),
    "handlers of atexit before objects are destroyed": (
        "import atexit\n\n\nclass A:\n    def __del__(self):\n        print('gone')\n\n\n"
        "a = A()\natexit.register(print, 'handler')\nprint('here')\n",
        "here\nhandler\ngone\n",
    ),
    "output before sys.stdout is replaced": (
        "import io, sys\nprint('seen')\nsys.stdout = io.StringIO()\nprint('unseen')\n",
        "seen\n",
    ),
    "what `__main__` is, its annotations, its source, and its classes at the end": (
        "import atexit, inspect, pickle, sys\n\n\nclass A:\n    x = 1\n\n\ndef f(x: int): pass\n\n"
        "atexit.register(lambda: print(pickle.loads(pickle.dumps(A())).x))\n"
        "print(sys.modules['__main__'].__dict__ is globals(), __spec__, len(sys.argv))\n"
        "print(inspect.getsource(f), f.__annotations__, '\u68af\u5ea6 \u2202y')\n",
        "True None 1\ndef f(x: int): pass\n {'x': <class 'int'>} \u68af\u5ea6 \u2202y\n1\n",
    ),
    "a function of os that it replaces": (
        "import os\nos._exit = os.getpid = lambda *_: 1\nprint('a')\n",
        "a\n",
    ),
}

ALLOWED_WITH_FORK = {
    "a copy of itself that ends like it": (
        "import os\npid = os.fork()\nif pid:\n    os.waitpid(pid, 0)\n"
        "print('parent' if pid else 'child')\n",
        "child\nparent\n",
    ),
    "a process of multiprocessing that nobody joins": (
        "import multiprocessing\nmultiprocessing.get_context('fork').Process("
        "target=print, args=('in',)).start()\n",
        "in\n",
    ),
    "a pool that spawns": (
        "import multiprocessing\n\n\ndef square(x):\n    return x * x\n\n\n"
        "if __name__ == '__main__':\n    context = multiprocessing.get_context('spawn')\n"
        "    with context.Pool(1) as pool:\n        print(pool.map(square, range(4)))\n",
        "[0, 1, 4, 9]\n",
    ),
    "a loader with two workers": (
        "import torch\nfrom torch.utils.data import DataLoader\n\n"
        "for batch in DataLoader(torch.arange(6), batch_size=3, num_workers=2):\n"
        "    print(batch.sum())\n",
        "tensor(3)\ntensor(12)\n",
    ),
    "two threads of torch": (
        "import torch\n\ntorch.set_num_threads(2)\na = torch.ones(800, 800, requires_grad=True)\n"
        "(a @ a).sum().backward()\nprint(a.grad[0, 0])\n",
        "tensor(1600.)\n",
    ),
}


@pytest.mark.parametrize("source, output", ALLOWED.values(), ids=ALLOWED)
def test_allows_and_prints_what_python_prints(run, fresh_runner, tmp_path, source, output):
    forked, fresh = run(source), run(source, by=fresh_runner)
    assert (forked.stdout, forked.refusal, fresh.stdout, fresh.refusal) == (output, None) * 2
    (tmp_path / "work").mkdir()
    command = [sys.executable, str(write(tmp_path / "script.py", source))]
    done = subprocess.run(
        command, capture_output=True, cwd=tmp_path / "work", encoding="utf-8", check=True
    )
    assert (done.stdout, done.stderr) == (output, "")


@needs_fork
@pytest.mark.parametrize("source, output", ALLOWED_WITH_FORK.values(), ids=ALLOWED_WITH_FORK)
def test_allows_processes_that_end_and_threads_of_torch(run, source, output):
    result = run(source)
    assert (result.stdout, result.refusal) == (output, None)


@needs_fork
def test_an_error_in_a_copy_of_the_script_is_seen(run):
    result = run(
        "import os\npid = os.fork()\nif not pid:\n    raise ValueError('no')\nos.wait()\nprint(1)\n"
    )
    assert result.refusal.what == "the script prints to standard error"
    assert (result.refusal.found.split("\n")[-1], result.refusal.line) == ("ValueError: no", 4)


@pytest.mark.parametrize(
    ("source", "fix"),
    {
        "a sibling": ("from sibling import x\nprint(x)\n", "what it needs of sibling.py"),
        "logging": ("import logging\nprint(1)\nlogging.warning('a')\n", "log to standard output"),
        "a bar": ("import sys\nprint(1)\nsys.stderr.write('\\r 50%|#')\n", "the progress bar"),
        "print": ("import sys\nprint(1, file=sys.stderr)\n", "print to standard output"),
        "a warning": ("import warnings\nwarnings.warn('a')\nprint(1)\n", "catch the warning"),
    }.values(),
)
def test_the_fix_fits_the_cause(run, tmp_path, source, fix):
    for folder in {tmp_path, Path(run("print(1)\n").path).parent}:
        write(folder / "sibling.py", "x = 1\n")
    assert fix in run(source).refusal.fix


def test_nothing_leaks_into_the_next_script(run):
    probe = (
        "import os, random, sys, warnings\nimport torch\n\n"
        "print(torch.get_default_dtype(), torch.relu(torch.tensor(-1.0)))\n"
        "print(torch.is_grad_enabled(), torch.initial_seed() == 7)\n"
        "print('LEAK' in os.environ, os.listdir(), sys.argv[1:])\n"
        "print('leak' in sys.modules, hasattr(torch, 'leak'), len(warnings.filters) == 0)\n"
    )
    clean = "torch.float32 tensor(0.)\nTrue False\nFalse [] []\nFalse False False\n"
    leak = (
        "import os, sys, warnings\nimport torch\n\n"
        "torch.set_default_dtype(torch.float64)\ntorch.manual_seed(7)\n"
        "torch.relu = lambda x: x\ntorch.set_grad_enabled(False)\ntorch.leak = 1\n"
        "sys.modules['leak'] = sys\nsys.argv.append('leak')\nwarnings.resetwarnings()\n"
        "os.environ['LEAK'] = '1'\nos.chdir('/')\n"
        "print(torch.get_default_dtype(), torch.relu(torch.tensor(-1.0)))\n"
    )
    assert run(probe, "probe.py").stdout == clean
    assert run(leak).stdout == "torch.float64 tensor(-1.)\n"
    after = run(probe, "probe.py")
    assert (after.stdout, after.refusal) == (clean, None)


@needs_fork
def test_where_no_process_is_left_no_descriptor_is_closed():
    """A thread of gloo that waits at one would abort the process."""
    reader, writer = os.pipe()
    if (pid := os.fork()) == 0:
        still_open = not child._processes_left() and os.fstat(reader) is not None
        os._exit(0 if still_open else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(reader)
    os.close(writer)


@needs_linux
def test_a_script_that_wants_too_much_memory_raises(run):
    refusal = refused("s.py", run(f"x = 1\nprint(len(bytearray({child.MEMORY_LIMIT})))\n"))
    assert refusal.line == 2 and "MemoryError" in refusal.found


@needs_linux
@needs_two_cores
def test_only_the_script_that_leaves_a_process_is_blamed(runner, fresh_runner, tmp_path):
    guilty = write(tmp_path / "guilty.py", DOUBLE_FORK + "time.sleep(1.5)\n")
    # They end while the first still runs and what it has left behind already lives.
    source = "import time\ntime.sleep(0.2)\nprint('fine')\n"
    innocent = [write(tmp_path / f"{number}.py", source) for number in range(3)]
    runs = [[by.submit(script) for script in (guilty, *innocent)] for by in (runner, fresh_runner)]
    for first, *others in runs:
        assert [run.result(PATIENCE).refusal for run in others] == [None] * 3
        assert first.result(PATIENCE).refusal.what == "the script leaves a process behind"


@needs_linux
def test_a_killed_server_is_reported_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    script, sign = tmp_path / "script.py", tmp_path / "sign"
    write(script, _loops(sign))
    runner = Runner()
    future = runner.submit(script)
    _wait(sign.exists)
    os.kill(runner._process.pid, 9)
    with pytest.raises(RunnerError, match=r"ended too early \(signal 9\)\. It said:\n\(nothing\)"):
        future.result(PATIENCE)
    with pytest.raises(RunnerError, match="ended too early"):
        runner.submit(script).result(PATIENCE)
    runner.close()
    looping, left = map(int, sign.read_text().split())
    os.kill(left, 9)  # what a script starts in a session of its own, nobody can find any more
    _wait(lambda: not _alive(looping))
    assert list((tmp_path / "temp").iterdir()) == []


def test_a_server_that_cannot_start_says_why(tmp_path, monkeypatch):
    write(tmp_path / "torch.py", "raise OSError('a broken torch')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with Runner() as runner, pytest.raises(RunnerError, match="OSError: a broken torch"):
        runner.submit(write(tmp_path / "script.py", FINE)).result(PATIENCE)


def test_who_asked_for_nothing_does_not_wait_for_torch(tmp_path, monkeypatch):
    write(tmp_path / "torch.py", f"import time\ntime.sleep({PATIENCE})\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    runner = Runner()
    began = time.monotonic()
    runner.close()
    assert time.monotonic() - began < PATIENCE / 2
    assert not runner.alive()


@needs_linux
@pytest.mark.parametrize("fresh", [False, True])
def test_close_ends_everything_even_while_a_script_loops(tmp_path, monkeypatch, fresh):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temp"))
    (tmp_path / "temp").mkdir()
    sign = tmp_path / "sign"
    runner = Runner(PATIENCE, fresh=fresh)
    future = runner.submit(write(tmp_path / "script.py", _loops(sign)))
    waiting = [runner.submit(write(tmp_path / f"{i}.py", FINE)) for i in range(3)]
    _wait(sign.exists)
    began = time.monotonic()
    runner.close()
    assert time.monotonic() - began < PATIENCE / 2, "it has waited for the end of the loop"
    processes = [runner._process.pid, *map(int, sign.read_text().split())]
    assert [pid for pid in processes if _alive(pid)] == []
    assert list((tmp_path / "temp").iterdir()) == []
    with pytest.raises(RunnerError):
        future.result(PATIENCE)
    assert all(f.exception(PATIENCE) or f.result().stdout == "fine\n" for f in waiting)


def _loops(sign: Path) -> str:
    """A script that writes its process and one that it starts into `sign`, then loops."""
    return (
        "import os, subprocess, sys\n"
        f"p = subprocess.Popen({SLEEP}, start_new_session=True)\n"
        f"with open({str(sign) + '.part'!r}, 'w') as file:\n"
        "    file.write(f'{os.getpid()} {p.pid}')\n"
        f"os.rename({str(sign) + '.part'!r}, {str(sign)!r})\n"
        "while True:\n    pass\n"
    )


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def _wait(until, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.01)


@pytest.mark.parametrize(
    "printed", ["a\\tb", "\\na", "\\x1b[1ma", "a\\ue000b", "a\\u202eb", "a\\u2028b"]
)
def test_what_a_page_cannot_show_is_refused(run, printed):
    refusal = run(f"print('{printed}')\n").refusal
    assert refusal.what == "the script prints what a page cannot show"
    assert refusal.line == 1


@pytest.mark.parametrize("fresh", [False, True])
def test_what_pytorch_keeps_for_itself_is_no_file_left_behind(tmp_path, fresh):
    """The first optimizer of a process makes a folder for compiled code."""
    source = (
        "import torch\nimport torch._dynamo\nw = torch.ones(2, requires_grad=True)\n"
        "w.sum().backward()\ntorch.optim.SGD([w], lr=1).step()\nprint(w.detach())\n"
    )
    with Runner(PATIENCE, fresh=fresh) as runner:
        result = runner.submit(write(tmp_path / "s.py", source)).result(PATIENCE)
    assert result.refusal is None


COMPILES = (
    "import torch\nw = torch.ones(2, requires_grad=True)\n"
    "torch.compile(lambda w: w.sin().square())(w).sum().backward()\nprint(w.grad)\n"
)


def test_the_default_backend_leaves_nothing_behind(run):
    """It writes C++ and calls the compiler."""
    result = run(COMPILES)
    assert (result.refusal, result.stdout) == (None, "tensor([0.9093, 0.9093])\n")


@pytest.mark.parametrize("folder", ["ker nels/梯度", "s.py/cannot/be/made"])
def test_the_compiler_is_called_once_for_a_kernel_where_it_can_be_kept(tmp_path, folder):
    script, kernels = write(tmp_path / "s.py", COMPILES), tmp_path / folder
    compiled = []
    for _ in range(2):
        with Runner(PATIENCE, kernels=kernels) as runner:
            assert runner.submit(script).result(PATIENCE).refusal is None
        compiled.append({file: file.stat().st_mtime_ns for file in kernels.rglob("*.so")})
    assert compiled[0] == compiled[1] and bool(compiled[0]) == ("cannot" not in folder)
