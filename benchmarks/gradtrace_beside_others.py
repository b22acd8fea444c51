"""gradtrace beside other tools that draw PyTorch models: time to the picture, memory, and its size.

    python benchmarks/gradtrace_beside_others.py [runs [model...]]

Six models, each in a script that makes two steps of training; the last row has the script alone.
Each tool is used as its documentation shows it, in processes of its own, from their start to the
written file, torch's import included. The time is that of the processor, which depends less on what
else the machine does; of a few runs the least counts. Tools that are not installed are left out;
nothing is fetched. torchlens, torchview and torchviz need Graphviz's `dot`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from textwrap import dedent

HEAD = """
import torch
from torch import nn

torch.manual_seed(0)
"""
MODELS = {
    "MLP": """
        model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(),
                              nn.Linear(64, 10))
        x = torch.randn(64, 32)
    """,
    "CNN": """
        model = nn.Sequential(
            nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3, padding=1), nn.BatchNorm2d(32), nn.ReLU(), nn.MaxPool2d(2),
            nn.Flatten(), nn.Linear(32 * 8 * 8, 10),
        )
        x = torch.randn(32, 3, 32, 32)
    """,
    "ResNet-18": """
        class Block(nn.Module):
            def __init__(self, inside, outside, stride):
                super().__init__()
                self.conv1 = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
                self.bn1 = nn.BatchNorm2d(outside)
                self.conv2 = nn.Conv2d(outside, outside, 3, 1, 1, bias=False)
                self.bn2 = nn.BatchNorm2d(outside)
                self.short = nn.Sequential()
                if inside != outside:
                    self.short = nn.Sequential(
                        nn.Conv2d(inside, outside, 1, stride, bias=False), nn.BatchNorm2d(outside)
                    )

            def forward(self, x):
                out = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
                return torch.relu(out + self.short(x))

        stages, inside = [nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU()], 16
        for outside, stride in ((16, 1), (32, 2), (64, 2), (128, 2)):
            stages += [nn.Sequential(Block(inside, outside, stride), Block(outside, outside, 1))]
            inside = outside
        model = nn.Sequential(*stages, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
        x = torch.randn(16, 3, 32, 32)
    """,
    "Transformer": """
        class Encoder(nn.Module):
            def __init__(self):
                super().__init__()
                layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0, batch_first=True)
                self.layers = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)
                self.head = nn.Linear(64, 10)

            def forward(self, x):
                return self.head(self.layers(x).mean(1))

        model = Encoder()
        x = torch.randn(16, 32, 64)
    """,
    "LSTM": """
        class Reader(nn.Module):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(16, 64, num_layers=2, batch_first=True)
                self.head = nn.Linear(64, 10)

            def forward(self, x):
                return self.head(self.lstm(x)[0][:, -1])

        model = Reader()
        x = torch.randn(16, 20, 16)
    """,
    "GPT-2's shape, 89M": """
        class Block(nn.Module):
            def __init__(self):
                super().__init__()
                self.norm1, self.norm2 = nn.LayerNorm(768), nn.LayerNorm(768)
                self.qkv, self.out = nn.Linear(768, 3 * 768), nn.Linear(768, 768)
                self.up, self.down = nn.Linear(768, 4 * 768), nn.Linear(4 * 768, 768)

            def forward(self, x):
                shape = x.shape
                q, k, v = self.qkv(self.norm1(x)).chunk(3, -1)
                q, k, v = (t.view(*shape[:2], 12, 64).transpose(1, 2) for t in (q, k, v))
                read = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
                x = x + self.out(read.transpose(1, 2).reshape(shape))
                return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

        class GPT(nn.Module):
            def __init__(self):
                super().__init__()
                self.words, self.places = nn.Embedding(5000, 768), nn.Embedding(128, 768)
                self.blocks = nn.ModuleList(Block() for _ in range(12))
                self.norm = nn.LayerNorm(768)

            def forward(self, tokens):
                x = self.words(tokens) + self.places.weight
                for block in self.blocks:
                    x = block(x)
                return self.norm(x)[:, -1] @ self.words.weight.T

        model = GPT()
        x = torch.randint(5000, (2, 128))
    """,
}
TRAINING = """
targets = torch.randint(0, 10, (len(x),))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(2):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x), targets)
    loss.backward()
    optimizer.step()
"""
LENS = """
import torchlens
save = torchlens.options.CaptureOptions(save_grads=True)
log = torchlens.trace(model, x, capture=save)
out = log[log.output_layers[0]].out
log.log_backward(nn.functional.cross_entropy(out, targets))
"""
PICTURES = {
    "gradtrace": ("gradtrace", "picture.html", ""),
    "torchlens, draw": (
        "torchlens",
        "picture.svg",
        LENS + "log.draw(vis_outpath='picture', vis_save_only=True, vis_fileformat='svg',"
        " node_overlay='grad_norm')",
    ),
    "torchlens, draw_backward": (
        "torchlens",
        "picture.svg",
        LENS + "log.draw_backward(vis_outpath='picture', vis_save_only=True, vis_fileformat='svg')",
    ),
    "torchlens, export.html": (
        "torchlens",
        "picture.html",
        LENS + "torchlens.export.html(log, 'picture.html')",
    ),
    "torchvista": (
        "torchvista",
        "picture.html",
        "import torchvista\n"
        "torchvista.trace_model(model, x, export_path='picture.html',"
        " collapse_modules_after_depth=3)",
    ),
    "torchview": (
        "torchview",
        "picture.svg",
        "import torchview\n"
        "drawn = torchview.draw_graph(model, input_data=x, mode='train', expand_nested=True)\n"
        "drawn.visual_graph.render('picture', format='svg')",
    ),
    "torchviz": (
        "torchviz",
        "picture.svg",
        "import torchviz\n"
        "loss = nn.functional.cross_entropy(model(x), targets)\n"
        "drawn = torchviz.make_dot(loss, params=dict(model.named_parameters()))\n"
        "drawn.render('picture', format='svg')",
    ),
    "the script alone": ("torch", "", ""),
}
"""Of each row: the package, the file that it makes, and what is added to the script for it."""
ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1"}


def measured(model: str, row: str, runs: int) -> tuple[float, float, float]:
    """The least of some runs, in seconds of the processor; the peak of the memory, in MB; the
    picture's size in kB."""
    package, picture, added = PICTURES[row]
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "train.py")
        script.write_text(HEAD + dedent(MODELS[model]) + TRAINING + added + "\n", "utf-8")
        command = [sys.executable, str(script)]
        if package == "gradtrace":
            command[1:] = ["-m", "gradtrace", "-o", picture, str(script)]
        times, peaks = [], []
        for _ in range(runs):
            with Path(folder, "said").open("w+") as said:
                process = subprocess.Popen(
                    command, cwd=folder, env=ONE_THREAD, stdout=said, stderr=said
                )
                _, status, used = os.wait4(process.pid, 0)  # with the processes that it started
                times.append(used.ru_utime + used.ru_stime)
                peaks.append(used.ru_maxrss / 1000)
                if status:
                    said.seek(0)
                    raise RuntimeError(f"{row} failed on {model}:\n{said.read()[-2000:]}")
        size = Path(folder, picture).stat().st_size / 1000 if picture else 0
    return min(times), min(peaks), size


def version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    models = sys.argv[2:] or list(MODELS)
    print("| | version | " + " | ".join(models) + " |")
    print("|---|---|" + "---|" * len(models))
    for row, (package, picture, _) in PICTURES.items():
        if (found := version(package)) is None:
            print(f"| {row} | not installed |" + " |" * len(models))
            continue
        cells = []
        for model in models:
            try:
                seconds, memory, size = measured(model, row, runs)
            except RuntimeError as error:
                print(error, file=sys.stderr)
                cells.append("fails")
                continue
            drawn = f", {size:.0f} kB" if picture else ""
            cells.append(f"{seconds:.1f} s, {memory:.0f} MB" + drawn)
        print(f"| {row} | {found} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
