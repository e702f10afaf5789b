"""Train one of the networks for dice: `python -m training.dice.train finder|reader FOLDERS --to FILE`.

The finder marks the middles of top faces in a picture, with their size; the reader reads a crop centred on one.
`FOLDERS` hold scenes of `training.dice.drawn` and `training.dice.traced`, which may still be running. Every twelfth
scene is used for validation only. Needs torch and onnx, unlike the program, which runs the networks with OpenCV.
"""

from __future__ import annotations

import argparse
import copy
import math
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset

from calibration.opencv import cv2
from training.dice.samples import NOTHING, Scene, crops, is_validation, load, tile

Array = np.ndarray
READER_OUTPUTS = 20  # classes (10), leaning, offset (2), stretch (3), turn (2), normal (2)
_SHAPE_WEIGHTS = (8.0, 8.0, 6.0, 6.0, 6.0, 1.0, 1.0)  # offset, stretch, turn: their usual errors differ
_SMOOTHED = 0.02
_REMEMBERED = 0.998  # decay per batch of the averaged weights
_PER_SCENE = 8
_SILENT = 0.1  # of the usual first weights, from new channels to trained ones
_HALVES = torch.backends.cpu.get_cpu_capability() == "AVX512"  # twice as fast there; else eight times slower
_REPORTED_S = 300.0
_POOL = 40  # batches that wait for their second time


class Samples(IterableDataset):
    """An endless stream of samples from the scenes in some folders."""

    def __init__(
        self, which: str, folders: list[Path], validation: bool, count: int | None, weights: list[float]
    ) -> None:
        self.which, self.folders, self.validation, self.count, self.weights = which, folders, validation, count, weights

    def __iter__(self) -> Iterator[tuple[Array, Array]]:
        cv2.setNumThreads(1)
        rng = np.random.default_rng(1 if self.validation else time.time_ns())
        scenes: list[dict[Path, Scene | None]] = [{} for _ in self.folders]
        made = looked = 0
        while self.count is None or made < self.count:
            if time.monotonic() > looked + 60 or not looked:
                looked = time.monotonic()
                for folder, known in zip(self.folders, scenes, strict=True):
                    new = [
                        p
                        for p in sorted(folder.glob("*.json"))
                        if p not in known and is_validation(p) == self.validation
                    ]
                    known.update((path, load(path)) for path in new)
                lists = [[scene for scene in known.values() if scene is not None] for known in scenes]
                shares = np.array([w * bool(some) for w, some in zip(self.weights, lists, strict=True)])
            some = lists[int(rng.choice(len(lists), p=shares / shares.sum()))]
            scene = some[int(rng.integers(len(some)))]
            if self.which == "finder":
                yield self._ready(*tile(rng, scene))
                made += 1
                continue
            for shown, target in crops(rng, scene, _PER_SCENE):
                yield self._ready(shown, target)
                made += 1

    @staticmethod
    def _ready(shown: Array, target: Array) -> tuple[Array, Array]:
        return np.ascontiguousarray(shown.transpose(2, 0, 1)), target


def conv(inside: int, outside: int, stride: int = 1) -> nn.Sequential:
    """A convolution with normalisation and activation."""
    layer = nn.Conv2d(inside, outside, 3, stride, 1, bias=False)
    return nn.Sequential(layer, nn.BatchNorm2d(outside), nn.ReLU(inplace=True))


class Block(nn.Module):
    """Two convolutions beside a shortcut."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = conv(width, width)
        self.second = nn.Sequential(nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return functional.relu(x + self.second(self.first(x)))


class Finder(nn.Module):
    """(N, 3, H, W) pictures, 0 to 255, to (N, 4, H/4, W/4): log odds of a top face, place in cells (2), log side."""

    def __init__(self) -> None:
        super().__init__()
        self.quarter = nn.Sequential(conv(3, 16, 2), conv(16, 24, 2))
        self.eighth = nn.Sequential(conv(24, 40, 2), Block(40))
        self.sixteenth = nn.Sequential(conv(40, 64, 2), Block(64), Block(64))
        self.up = nn.Conv2d(64, 40, 1)
        self.mixed = conv(40, 40)
        self.out = nn.Conv2d(40, 24, 1)
        self.head = nn.Sequential(conv(24, 24), nn.Conv2d(24, 4, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        quarter = self.quarter(x / 64 - 2)
        eighth = self.eighth(quarter)
        sixteenth = self.sixteenth(eighth)
        eighth = self.mixed(eighth + functional.interpolate(self.up(sixteenth), scale_factor=2.0))
        return self.head(quarter + functional.interpolate(self.out(eighth), scale_factor=2.0))


class Reader(nn.Module):
    """(N, 3, 64, 64) crops, 0 to 255, to (N, 20)."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            conv(3, 32, 2), conv(32, 56, 2), Block(56), conv(56, 104, 2), Block(104), conv(104, 160, 2), nn.Flatten(),
        )  # fmt: skip
        self.hidden = nn.Sequential(nn.Linear(160 * 16, 96), nn.ReLU(inplace=True), nn.Dropout(0.2))
        self.out = nn.Linear(96, READER_OUTPUTS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x / 64 - 2
        return self.out(self.hidden(self.layers(x)))


def finder_loss(said: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, list[float]]:
    target = target.permute(0, 3, 1, 2)
    counts, top = target[:, 0] >= 0, target[:, 0].clamp(min=0)
    odds = said[:, 0]
    chance = torch.sigmoid(odds)
    plain = functional.binary_cross_entropy_with_logits(odds, top, reduction="none")
    focal = plain * torch.where(top > 0, 1 - chance, chance) ** 2 * torch.where(top > 0, 3.0, 1.0)
    seen = target[:, 4] > 0
    place = functional.smooth_l1_loss(said[:, 1:4], target[:, 1:4], reduction="none", beta=0.1).sum(1)
    number = seen.sum().clamp(min=1)
    loss = (focal * counts).sum() / number + 0.5 * (place * seen).sum() / number
    missed = ((odds < 0) & seen).sum() / number
    false = ((odds > 0) & counts & (top == 0)).sum() / number
    side = (said[:, 3] - target[:, 3]).abs()[seen].mean()
    return loss, [float(missed), float(false), float(side)]


def reader_loss(said: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, list[float]]:
    face = target[:, 0].long()
    loss = functional.cross_entropy(said[:, :10], face, label_smoothing=_SMOOTHED)
    known = target[:, 1] >= 0
    lean = functional.binary_cross_entropy_with_logits(said[:, 10], target[:, 1].clamp(min=0), reduction="none")
    loss = loss + 0.3 * (lean * known).sum() / known.sum().clamp(min=1)
    shape = functional.smooth_l1_loss(said[:, 11:], target[:, 2:11], reduction="none", beta=0.1)
    fits = (shape[:, :7] * shape.new_tensor(_SHAPE_WEIGHTS)).sum(1)
    loss = loss + 0.5 * (fits * target[:, 11]).sum() / target[:, 11].sum().clamp(min=1)
    turned = (said[:, 18:] - target[:, 9:11]).square().sum(1)
    loss = loss + 10 * (turned * target[:, 12]).sum() / target[:, 12].sum().clamp(min=1)
    normal = (said[:, 18:] - target[:, 9:11]).norm(dim=1)[target[:, 12] > 0].mean()
    best = said[:, :10].argmax(1)
    dice = face != NOTHING
    wrong = (best != face)[dice].float().mean()
    false = (best != face)[~dice].float().mean()
    return loss, [float(wrong), float(false), float(normal)]


def main() -> None:
    """Train one network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["finder", "reader"])
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--weights", type=float, nargs="+", help="share of the samples from each folder")
    parser.add_argument("--to", type=Path, required=True)
    parser.add_argument("--minutes", type=float, default=30.0, help="the learning rate decays to 0 over this time")
    parser.add_argument("--start", type=Path, help="weights to begin with")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    model: nn.Module = Finder() if options.which == "finder" else Reader()
    if options.start:
        model.load_state_dict(widened(torch.load(options.start), model.state_dict()))
    model = model.to(memory_format=torch.channels_last)  # half as fast again on a processor
    weights = options.weights or [1.0] * len(options.folders)
    batch = options.batch or (16 if options.which == "finder" else 128)
    train(model, options, weights, batch)


def widened(kept: dict[str, torch.Tensor], fresh: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """Weights for layers that may have grown: the trained channels first, the new ones nearly silent at first."""
    for name, weight in fresh.items():
        if kept[name].shape != weight.shape:
            if weight.dim() > 1:
                weight[: len(kept[name])] *= _SILENT
            weight[tuple(slice(0, count) for count in kept[name].shape)] = kept[name]
            kept[name] = weight
    return kept


def train(model: nn.Module, options: argparse.Namespace, weights: list[float], batch: int) -> None:
    """Train for the given time; write the averaged weights every few minutes."""
    loss_of = finder_loss if options.which == "finder" else reader_loss
    held = DataLoader(Samples(options.which, options.folders, True, 4 * batch, weights), batch)
    held_out = list(held)
    stream = DataLoader(
        Samples(options.which, options.folders, False, None, weights), batch, num_workers=1, prefetch_factor=6
    )
    rule = torch.optim.AdamW(model.parameters(), options.rate, weight_decay=0.02)
    averaged = copy.deepcopy(model)
    began, sums, steps = time.monotonic(), np.zeros(4), 0
    reported = began
    for number, (shown, target) in enumerate(_replayed(stream, options.which)):
        part = (time.monotonic() - began) / (60 * options.minutes)
        if part >= 1:
            break
        for group in rule.param_groups:
            group["lr"] = options.rate * min(1.0, (number + 1) / 200) * (0.5 + 0.5 * math.cos(math.pi * part))
        model.train()
        with torch.autocast("cpu", torch.bfloat16, enabled=_HALVES):
            said = model(_ready(shown))
        loss, parts = loss_of(said.float(), target)
        rule.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        rule.step()
        _average(averaged, model, min(_REMEMBERED, (number + 1) / (number + 10)))
        sums, steps = sums + [loss.item(), *parts], steps + 1
        if time.monotonic() > reported + _REPORTED_S:
            reported = time.monotonic()
            print(f"{(reported - began) / 60:5.1f} min, {number} batches: {np.round(sums / steps, 4)}", end=" ")
            print(f"held out {check(averaged, held_out, loss_of)}", flush=True)
            sums, steps = np.zeros(4), 0
            write(averaged, options.which, options.to)
    print(f"held out {check(averaged, held_out, loss_of)}")
    write(averaged, options.which, options.to)


def _ready(shown: torch.Tensor) -> torch.Tensor:
    return shown.float().contiguous(memory_format=torch.channels_last)


def _replayed(
    stream: Iterable[tuple[torch.Tensor, torch.Tensor]], which: str
) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
    """Every batch of crops twice, the second time later and mirrored: cutting costs as much as learning."""
    rng, seen = np.random.default_rng(), []
    for batch in stream:
        yield batch
        if which == "reader":
            seen.append(batch)
            if len(seen) > _POOL:
                yield mirrored(rng, *seen.pop(int(rng.integers(len(seen)))))


def mirrored(rng: np.random.Generator, shown: torch.Tensor, target: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Crops and their targets in one of the eight mirrorings of a square."""
    target = target.clone()
    for axis, (offset, normal) in ((3, (2, 9)), (2, (3, 10))):
        if rng.random() < 0.5:
            shown = shown.flip(axis)
            target[:, [offset, 5, 8, normal]] *= -1
    if rng.random() < 0.5:
        shown = shown.transpose(2, 3)
        target = target[:, [0, 1, 3, 2, 6, 5, 4, 7, 8, 10, 9, 11, 12]]
        target[:, 8] *= -1
    return shown, target


def _average(averaged: nn.Module, model: nn.Module, keep: float) -> None:
    with torch.no_grad():
        for mean, now in zip(averaged.state_dict().values(), model.state_dict().values(), strict=True):
            if mean.dtype.is_floating_point:
                mean.mul_(keep).add_(now, alpha=1 - keep)


def check(model: nn.Module, batches: list[tuple[torch.Tensor, torch.Tensor]], loss_of: object) -> Array:
    model.eval()
    with torch.no_grad():
        rows = [[(found := loss_of(model(_ready(shown)), target))[0].item(), *found[1]] for shown, target in batches]
    return np.round(np.mean(rows, axis=0), 4)


def write(model: nn.Module, which: str, out: Path) -> None:
    """Write the weights and an ONNX file with weights of a byte, restored to float32 when it is loaded."""
    torch.save(model.state_dict(), out.with_suffix(".pt"))
    side = 128 if which == "finder" else 64
    axes = {0: "n", 2: "h", 3: "w"}
    dynamic = {"shown": axes, "said": axes} if which == "finder" else {"shown": {0: "n"}, "said": {0: "n"}}
    plain = copy.deepcopy(model).eval().to(memory_format=torch.contiguous_format)
    torch.onnx.export(
        plain, (torch.zeros(1, 3, side, side),), out, opset_version=13, dynamo=False,
        input_names=["shown"], output_names=["said"], dynamic_axes=dynamic,
    )  # fmt: skip
    network = onnx.load(out)
    restored = [
        _as_bytes(network.graph, weight) for weight in [*network.graph.initializer] if np.prod(weight.dims) > 256
    ]
    nodes = [*restored, *network.graph.node]
    del network.graph.node[:]
    network.graph.node.extend(nodes)
    onnx.checker.check_model(network, full_check=True)
    onnx.save(network, out)


def _as_bytes(graph: onnx.GraphProto, weight: onnx.TensorProto) -> onnx.NodeProto:
    """Store a weight as int8 with one scale for each output channel; returns the node that restores it."""
    name, values = weight.name, numpy_helper.to_array(weight)
    flat = np.abs(values).reshape(len(values), -1)
    scale = np.maximum(flat.max(axis=1) / 127, 1e-8).astype(np.float32)
    rounded = np.round(values / scale.reshape(-1, *[1] * (values.ndim - 1))).astype(np.int8)
    parts = {f"{name}_byte": rounded, f"{name}_scale": scale, f"{name}_zero": np.zeros(len(values), np.int8)}
    graph.initializer.remove(weight)
    graph.initializer.extend(numpy_helper.from_array(part, part_name) for part_name, part in parts.items())
    return onnx.helper.make_node("DequantizeLinear", [*parts], [name], axis=0)


if __name__ == "__main__":
    main()
