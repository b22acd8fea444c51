"""What gradtrace costs: training scripts, run plain and recorded.

    python benchmarks/gradtrace_cost.py [name...] [--runs N]

Each script times its own training steps, so that the import of torch does not count: one to warm
up, two that are recorded, and those after the recording is over. A plain run and a recorded one
take turns; the table shows the median of each ratio. In brackets: the ratio of the time that the
processor took, which hardly changes with what else the machine does.

    recorded   two recorded steps to two plain ones         goal: at most 2.5
    after      a step after the recording to a plain one    goal: at most 1.1
    memory     the peak of the process                      goal: at most 1.5
    watched    a step under gradtrace.watch to a plain one  goal: at most 1.05

The second table has scripts that are recorded as a whole, and the seconds until the page is there.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from gradtrace.monitor import FIRST
from gradtrace.recording.runner import FailedRun, Job, ScriptProcess

WARM_UP, RECORDED, AFTER = 1, 2, 6
WATCHED = 40
"""Two of the steps are looked at, after those at the beginning, which all are."""
THREADS = 2

HEAD = f"""
import json, resource, sys, time
import torch
import torch.nn.functional as F
from torch import nn

torch.set_num_threads({THREADS})
torch.manual_seed(0)
"""
TRAIN = f"""
opt = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
times = []
for step in range({WARM_UP + RECORDED + AFTER}):
    began = time.perf_counter(), time.process_time()
    opt.zero_grad()
    loss = F.cross_entropy(net(x), y)
    loss.backward()
    opt.step()
    times.append((time.perf_counter() - began[0], time.process_time() - began[1]))
"""
TAIL = """
used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
json.dump({"times": times, "memory": used}, open(sys.argv[1], "w"))
"""
WATCH = "\nimport gradtrace\ngradtrace.watch(net, opt)\ntimes = []"
WHOLE = "began = time.perf_counter(), time.process_time()\n"
WHOLE_ENDS = "\ntimes = [(time.perf_counter() - began[0], time.process_time() - began[1])]\n" + TAIL

RESNET = """
class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        out = F.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out = out + self.shortcut(x)
        return F.relu(out)


class ResNet18(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, 64, 3, 1, 1, bias=False), nn.BatchNorm2d(64), nn.ReLU()
        )
        layers, inputs = [], 64
        for outputs, stride in ((64, 1), (128, 2), (256, 2), (512, 2)):
            layers += [Block(inputs, outputs, stride), Block(outputs, outputs, 1)]
            inputs = outputs
        self.layers = nn.Sequential(*layers)
        self.head = nn.Linear(512, classes)

    def forward(self, x):
        x = self.layers(self.stem(x))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.head(x)
"""

TRAINED = {
    "MLP": """
net = nn.Sequential(
    nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 256), nn.ReLU(), nn.Linear(256, 10)
)
x, y = torch.randn(128, 784), torch.randint(10, (128,))
""",
    "CNN": """
net = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
    nn.Flatten(), nn.Linear(32 * 7 * 7, 10),
)
x, y = torch.randn(64, 1, 28, 28), torch.randint(10, (64,))
""",
    "ResNet18": RESNET
    + """
net = ResNet18(10)
x, y = torch.randn(16, 3, 32, 32), torch.randint(10, (16,))
""",
    "transformer": """
class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.project = nn.Linear(width, width)
        self.mlp = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def attend(self, x):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q = q.view(batch, length, self.heads, -1).transpose(1, 2)
        k = k.view(batch, length, self.heads, -1).transpose(1, 2)
        v = v.view(batch, length, self.heads, -1).transpose(1, 2)
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        out = out.transpose(1, 2).reshape(batch, length, width)
        return self.project(out)

    def forward(self, x):
        x = x + self.attend(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class Transformer(nn.Module):
    def __init__(self, words, width, length, layers):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.places = nn.Embedding(length, width)
        self.blocks = nn.ModuleList(Block(width, 4) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        x = self.words(tokens) + self.places(torch.arange(tokens.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x)).flatten(0, 1)


net = Transformer(1000, 128, 64, 6)
x = torch.randint(1000, (16, 64))
y = x.roll(-1, 1).flatten()
""",
}

WHOLE_SCRIPTS = {
    "1,000 lines of Python, 9M parameters": """
net = nn.Sequential(*[nn.Linear(500, 500) for _ in range(36)])
total = 0
for number in range(1000):
    kept = number % 7
    if kept > 3:
        total += kept
    else:
        total -= 1
net(torch.randn(4, 500)).sum().backward()
""",
    "RNN of 500 steps": """
w, u = torch.randn(16, 16) / 8, torch.randn(8, 16) / 4
b = torch.zeros(16)
for leaf in (w, u, b):
    leaf.requires_grad_()
x = torch.randn(500, 4, 8)
h = torch.zeros(4, 16)
for step in range(500):
    h = torch.tanh(h @ w + x[step] @ u + b)
h.pow(2).mean().backward()
""",
    "siamese ResNet18": RESNET
    + """
net = ResNet18(64)
one, other = torch.randn(8, 3, 32, 32), torch.randn(8, 3, 32, 32)
same = torch.randint(2, (8,)).float()
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for step in range(2):
    opt.zero_grad()
    distance = F.pairwise_distance(net(one), net(other))
    loss = (same * distance**2 + (1 - same) * F.relu(1 - distance) ** 2).mean()
    loss.backward()
    opt.step()
""",
}


def run(script: Path, passes: int | None) -> dict:
    """What a run of a script said of itself; recorded if `passes` are given."""
    said = script.with_suffix(".json")
    if passes is None:
        subprocess.run([sys.executable, str(script), str(said)], check=True)
    else:
        with ScriptProcess(Job(str(script), arguments=[str(said)], passes=passes)) as process:
            recorded = process.recorded()
            if isinstance(recorded, FailedRun):
                raise RuntimeError(f"{script.stem}: {recorded.found}")
            if code := process.wait():
                raise RuntimeError(f"{script.stem}: exit status {code}")
    return json.loads(said.read_text("utf-8"))


def ratio(plain: list[dict], recorded: list[dict], first: int, last: int, clock: int) -> float:
    """The time that the steps from `first` to `last` take, recorded to plain; medians of runs."""

    def median(runs: list[dict]) -> float:
        return statistics.median(
            statistics.median(t[clock] for t in run["times"][first:last]) for run in runs
        )

    return median(recorded) / median(plain)


def taking_turns(script: Path, passes: int, runs: int) -> tuple[list[dict], list[dict]]:
    plain, recorded = [], []
    for _ in range(runs):
        plain.append(run(script, None))
        recorded.append(run(script, passes))
    return plain, recorded


def memory(runs: list[dict]) -> float:
    return statistics.median(run["memory"] for run in runs)


def seconds_to_page(script: Path) -> float:
    """Seconds of the command from its start to the page; the script's own output is not shown."""
    began = time.perf_counter()
    page, said = script.with_suffix(".html"), script.with_suffix(".json")
    command = [sys.executable, "-m", "gradtrace", "-o", str(page), str(script), str(said)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()

    def wanted(scripts: dict[str, str]) -> dict[str, str]:
        return {n: t for n, t in scripts.items() if not asked.names or n in asked.names}

    print(f"{os.cpu_count()} cores, {THREADS} threads of torch, {asked.runs} runs of each")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.py")
        last = WARM_UP + RECORDED
        if trained := wanted(TRAINED):
            heads = f"{'recorded':>16}{'after':>16}{'memory':>9}{'watched':>16}"
            print(f"{'':14}{'plain step':>14}{heads}")
        for name, text in trained.items():
            script.write_text(HEAD + text + TRAIN + TAIL, encoding="utf-8")
            plain, recorded = taking_turns(script, last, asked.runs)
            step = statistics.median(t[0] for run in plain for t in run["times"][WARM_UP:])
            # The recording ends within the first step after the last recorded one.
            parts = [(WARM_UP, last), (last + 1, None)]
            ratios = [[ratio(plain, recorded, *part, clock) for clock in (0, 1)] for part in parts]
            cells = "".join(f"{wall:9.2f} ({cpu:4.2f})" for wall, cpu in ratios)
            share = memory(recorded) / memory(plain)
            steps = str(WARM_UP + RECORDED + AFTER), str(FIRST + WATCHED)
            longer = text + TRAIN.replace(f"range({steps[0]})", f"range({steps[1]})") + TAIL
            watched = script.with_stem("watched")
            script.write_text(HEAD + longer, encoding="utf-8")
            watched.write_text(HEAD + longer.replace("\ntimes = []", WATCH), encoding="utf-8")
            runs = [(run(script, None), run(watched, None)) for _ in range(asked.runs)]
            total = [
                statistics.median(
                    sum(t[clock] for t in seen["times"][FIRST:])
                    / sum(t[clock] for t in plain["times"][FIRST:])
                    for plain, seen in runs
                )
                for clock in (0, 1)
            ]
            cells += f"{share:9.2f}{total[0]:9.2f} ({total[1]:4.2f})"
            print(f"{name:14}{1000 * step:11.1f} ms{cells}", flush=True)
        if whole := wanted(WHOLE_SCRIPTS):
            print(f"\n{'':38}{'plain':>10}{'recorded':>18}{'page':>10}")
        for name, text in whole.items():
            script.write_text(HEAD + WHOLE + text + WHOLE_ENDS, encoding="utf-8")
            plain, recorded = taking_turns(script, 10, asked.runs)
            seconds = statistics.median(run["times"][0][0] for run in plain)
            times = [ratio(plain, recorded, 0, None, clock) for clock in (0, 1)]
            cell = f"{times[0]:10.1f} ({times[1]:5.1f})"
            print(f"{name:38}{seconds:8.2f} s{cell}{seconds_to_page(script):8.1f} s", flush=True)


if __name__ == "__main__":
    main()
