"""The callbacks for Lightning and for the Trainer of Hugging Face, each in its own trainer."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

MODEL = """
class Line(BASE):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
"""
TRAINING = {
    "lightning": """
    def training_step(self, batch, index):
        x, y = batch
        return nn.functional.mse_loss(self.body(x), y)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=0.1)


torch.manual_seed(0)
model = Line()
data = DataLoader(TensorDataset(torch.randn(32, 3), torch.randn(32, 1)), batch_size=4)
trainer = L.Trainer(
    max_epochs=1,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    accumulate_grad_batches=ACCUMULATE,
    callbacks=CALLBACKS,
)
trainer.fit(model, data)
""",
    "transformers": """
    def forward(self, x, labels):
        return {"loss": nn.functional.mse_loss(self.body(x), labels)}


torch.manual_seed(0)
model = Line()
data = [{"x": torch.randn(3), "labels": torch.randn(1)} for _ in range(32)]
arguments = TrainingArguments(
    output_dir="out",
    max_steps=4,
    gradient_accumulation_steps=ACCUMULATE,
    per_device_train_batch_size=4,
    report_to="none",
    save_strategy="no",
    disable_tqdm=True,
    use_cpu=True,
)
Trainer(model, arguments, train_dataset=data, callbacks=CALLBACKS).train()
""",
}
IMPORTS = {
    "lightning": "from gradtrace.lightning import RecordStep, Watch\nimport lightning as L\n"
    "import torch\nfrom torch import nn\n"
    "from torch.utils.data import DataLoader, TensorDataset\n\n\n",
    "transformers": "from gradtrace.transformers import RecordStep, Watch\nimport torch\n"
    "from torch import nn\nfrom transformers import Trainer, TrainingArguments\n\n\n",
}
BASE = {"lightning": "L.LightningModule", "transformers": "nn.Module"}
RESULT = "print([p.tolist() for p in model.parameters()])\n"


@pytest.mark.parametrize("accumulate", [1, 2])
@pytest.mark.parametrize("package", TRAINING)
def test_one_step_of_a_trainer_is_on_the_page_and_nothing_is_changed(package, accumulate, tmp_path):
    pytest.importorskip(package, exc_type=ImportError)
    source = IMPORTS[package] + MODEL.replace("BASE", BASE[package])
    source += TRAINING[package].replace("ACCUMULATE", str(accumulate)) + RESULT
    results = []
    with_both = '[r := RecordStep(2, "step.html"), Watch(log=lambda *_: print("watched"))]'
    kinds = "print([e['k'] for e in r.recorded.trace.events if e['k'] in ('backward', 'step')])\n"
    for callbacks, more in (("[]", ""), (with_both, kinds)):
        (tmp_path / "train.py").write_text(source.replace("CALLBACKS", callbacks) + more, "utf-8")
        command = [sys.executable, "train.py"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
        assert done.returncode == 0, done.stderr
        results.append(done.stdout.splitlines())
    assert [results[0][-1], str([*["backward"] * accumulate, "step"])] == results[1][-2:]
    assert results[1].count("watched") >= 4
    page = Path(tmp_path / "step.html").read_text("utf-8")
    assert "model.body.0.weight" in page and "MseLossBackward0" in page
