"""Train one of the small networks: `python -m training.finder.networks finder|judge|closer FOLDER --to FOLDER`.

The finder classifies each cell of a tile as figure or not; the judge classifies a finer crop at each hint; the closer
look repeats this at the figure's place, with a crop from the photo itself. `FOLDER` holds the files of
`training.finder.tiles`, which may still be running: new files are read before the next round. The first file of
every seed is used for validation only.

Needs torch and onnx, unlike the program, which runs the networks with OpenCV. Trains on a GPU if there is one; all
training data must fit into its memory.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import nn
from torch.nn import functional
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn

CELL_PX, CELLS, TILE_PX, CHANNELS = 4, 18, 72, 10
CROP_PX, STORED_PX = 64, 80  # a crop, and its stored size with a margin for shifts and rotations
_CROPS = {"judge": ("crops", 18.0), "closer": ("closer", 27.0)}  # training data of each network, and pixels per inch
_WAIST_IN = 0.7  # the height shown at a crop's centre
_CLOSELY = 0.9  # share of the crops centred near the figure
_KNOWN, _LEAN, _SEEN = 7, 8, 9  # channels
_STANDING_IN = 2.1
FINDER_OUTPUTS, JUDGE_OUTPUTS = 4, 10  # outputs of the finder, for each cell, and of the judge
BYTE = 60.0
_COUNTS = 0.35  # visible share above which a missed figure counts as an error
_ROUND = 100  # batches
_REMEMBERED = 0.999  # decay per batch of the averaged weights that are written
_FEW = 64  # layers with fewer weights keep full precision
Array = np.ndarray
Loss = Callable[..., tuple[torch.Tensor, list[float]]]


def main() -> None:
    """Train one network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["finder", "judge", "closer"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", type=Path, default=Path("vision"))
    parser.add_argument(
        "--minutes", type=float, default=60.0, help="training time, over which the learning rate decays to 0"
    )
    parser.add_argument("--start", type=Path, help="weights to begin with: .pt of an earlier run, or a written .onnx")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--batch", type=int, default=64)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if options.which == "finder":
        model, loss_of, data = finder(), _finder_loss, Data(options.folder, "tiles", cells_of_truth, device)
    else:
        kind, px_per_in = _CROPS[options.which]
        model, loss_of = judge(px_per_in), partial(_judge_loss, px_per_in)
        data = Data(options.folder, kind, crop_of_truth, device)
    if options.start and options.start.suffix == ".onnx":
        model = restored(model, options.start)
    elif options.start:
        began = torch.load(options.start)
        model.load_state_dict({name: values for name, values in began.items() if name != "0.across_in"}, strict=False)
    model = model.to(device, memory_format=torch.channels_last)
    lesson = Lesson(model, loss_of, data, 60 * options.minutes, options.rate, options.batch)
    lesson.learn(options.to / f"{options.which}.onnx")


class Data:
    """The training data of a folder: inputs (N, CHANNELS, side, side) int8 and target outputs."""

    def __init__(self, folder: Path, kind: str, answer: Callable[[Array], Array], device: torch.device) -> None:
        self._folder, self._kind, self._answer, self._device = folder, kind, answer, device
        self._known: dict[Path, tuple[torch.Tensor, torch.Tensor]] = {}
        self._teaching: list[tuple[torch.Tensor, torch.Tensor]] = []

    def look(self) -> int:
        """Read new files; returns the number of training examples."""
        self._teaching = self.files(check=False)
        return sum(len(shown) for shown, _ in self._teaching)

    @property
    def side(self) -> int:
        """Side of the network's input."""
        return TILE_PX if self._kind == "tiles" else CROP_PX

    def files(self, check: bool) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """The training files, or with `check` the validation files, including new ones."""
        named: dict[str, list[Path]] = {}
        for file in sorted(self._folder.glob(f"{self._kind}-*[0-9].npy")):
            named.setdefault(file.stem.rsplit("-", 1)[0], []).append(file)
        chosen = [file for files in named.values() for file in (files[:1] if check else files[1:])]
        for file in chosen:
            if file not in self._known:
                answers = np.stack([self._answer(truth) for truth in np.load(file.with_suffix(".truths.npy"))])
                shown = torch.from_numpy(np.load(file, mmap_mode="c"))
                self._known[file] = (
                    shown.to(self._device),
                    torch.from_numpy(answers.astype(np.float32)).to(self._device),
                )
        return [self._known[file] for file in chosen]

    def some(self, count: int) -> tuple[torch.Tensor, torch.Tensor]:
        """A batch from eight of the training files."""
        files = self._teaching
        chosen = torch.multinomial(torch.tensor([float(len(shown)) for shown, _ in files]), 8, replacement=True)
        rows = [torch.randint(len(files[k][0]), (count // 8,), device=self._device) for k in chosen.tolist()]
        picked = [(files[k][0][row], files[k][1][row]) for k, row in zip(chosen.tolist(), rows, strict=True)]
        return torch.cat([shown for shown, _ in picked]).float() / BYTE, torch.cat([answer for _, answer in picked])


class _Layer(nn.Module):
    """A residual layer."""

    def __init__(self, width: int, spread: int = 1) -> None:
        super().__init__()
        self.turn = nn.Conv2d(width, width, 3, padding=spread, dilation=spread)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.norm(self.turn(x)))


class _Ruler(nn.Module):
    """Adds two ruler channels along the lean from the expected foot: inches, and the share of a standing height.

    The distance from head to feet shows a figure's height, but only relative to the lean; a network learns this slowly
    from a lean channel that is constant over the crop.
    """

    def __init__(self, px_per_in: float) -> None:
        super().__init__()
        across_in = (torch.arange(CROP_PX) - (CROP_PX - 1) / 2) / px_per_in
        self.register_buffer("across_in", across_in.expand(1, 1, CROP_PX, CROP_PX).clone())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        lean = x[:, _LEAN : _LEAN + 1]
        out_in = self.across_in + _WAIST_IN * lean
        height = out_in / (lean.clamp(min=0.1) * _STANDING_IN)
        return torch.cat([x, out_in, height.clamp(-0.5, 1.5)], dim=1)


def _step(before: int, after: int, stride: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(before, after, 3, stride, 1), nn.BatchNorm2d(after), nn.ReLU())


def finder() -> nn.Sequential:
    """Two strided layers, then layers that see about two inches: heat, offset (2) and log sigma of each cell."""
    layers = [_Layer(32, spread) for spread in (1, 1, 2, 1, 2)]
    last = [nn.Conv2d(32, 64, 1), nn.ReLU(), nn.Conv2d(64, FINDER_OUTPUTS, 1)]
    return nn.Sequential(_step(CHANNELS, 24, 2), _step(24, 32, 2), *layers, *last)


def judge(px_per_in: float) -> nn.Sequential:
    """For a crop: whether it shows a figure, posture (4), facing (2), offset (2) and log sigma."""
    return nn.Sequential(
        _Ruler(px_per_in), _step(CHANNELS + 2, 32, 2), _Layer(32), _Layer(32), _step(32, 64, 2), _Layer(64),
        _Layer(64), _Layer(64), _step(64, 96, 2), _Layer(96), _Layer(96), _Layer(96), _step(96, 128, 2), _Layer(128),
        nn.Flatten(), nn.Dropout(0.4), nn.Linear(128 * 16, 112), nn.ReLU(), nn.Linear(112, JUDGE_OUTPUTS),
    )  # fmt: skip


def restored(model: nn.Sequential, file: Path) -> nn.Sequential:
    """The model with the weights of a written network, whose convolutions contain their normalization."""
    stored = {one.name.removesuffix("_half"): numpy_helper.to_array(one) for one in onnx.load(file).graph.initializer}
    for name, module in list(model.named_modules()):
        if isinstance(module, nn.BatchNorm2d):
            parent, _, last = name.rpartition(".")
            setattr(model.get_submodule(parent), last, nn.Identity())
    merged = iter(sorted((name for name in stored if "::" in name), key=lambda name: int(name.rsplit("_", 1)[1])))
    weights = {
        name: stored[name if name in stored else next(merged)].astype(np.float32)
        for name in model.state_dict()
        if name != "0.across_in"
    }
    model.load_state_dict({name: torch.from_numpy(values) for name, values in weights.items()}, strict=False)
    return model


def crop_of_truth(truth: Array) -> Array:
    """Target of one crop (1, 6): whether it shows a figure, offset from the crop's centre (2), posture, facing (2)."""
    x, y, posture, *facing, _ = truth[0]
    if np.isnan(x):
        return np.zeros(6, np.float32)
    middle = (STORED_PX - 1) / 2
    return np.array([1.0, x - middle, y - middle, posture, *facing], np.float32)


def cells_of_truth(truth: Array) -> Array:
    """Target of one tile (CELLS, CELLS, 5): heat, its weight, offset to a near figure (2), and whether one is near."""
    v, u = np.mgrid[:CELLS, :CELLS] * CELL_PX + (CELL_PX - 1) / 2
    out = np.zeros((CELLS, CELLS, 5), np.float32)
    out[..., 1] = 1
    nearest = np.full((CELLS, CELLS), 4.2)
    for x, y, *_, part in truth[np.isfinite(truth[:, 0])]:
        away = np.hypot(u - x, v - y)
        if part < _COUNTS:
            out[away < 8, 1] = 0
            continue
        out[..., 0] = np.maximum(out[..., 0], np.exp(-np.square(away) / (2 * 2.6**2)))
        out[..., 0][away == away.min()] = 1
        here = away < nearest
        nearest[here] = away[here]
        out[here, 2:] = np.stack([x - u, y - v, np.ones_like(u)], axis=-1)[here]
    return out


def _finder_loss(model: nn.Module, shown: torch.Tensor, answers: torch.Tensor) -> tuple[torch.Tensor, list[float]]:
    heat, weight, near = (answers[..., k] for k in (0, 1, 4))
    got = _run(model, shown)
    chance = torch.sigmoid(got[:, 0]).clamp(1e-4, 1 - 1e-4)
    hit = (heat > 0.9).float()
    hot = -(hit * (1 - chance) ** 2 * chance.log()) - (1 - hit) * (1 - heat) ** 4 * chance**2 * (1 - chance).log()
    hot = (hot * weight).sum() / hit.sum().clamp(min=1)
    there = got.permute(0, 2, 3, 1)[near > 0]
    place, away = _place_loss(there[:, 1:4], answers[..., 2:4][near > 0], 12.0)
    return hot + 0.5 * place, [hot.item(), away]


def _judge_loss(
    px_per_in: float, model: nn.Module, shown: torch.Tensor, true: torch.Tensor
) -> tuple[torch.Tensor, list[float]]:
    got = _run(model, shown)
    presence = functional.binary_cross_entropy_with_logits(got[:, 0], true[:, 0])
    there, true = got[true[:, 0] > 0], true[true[:, 0] > 0]
    posture = functional.cross_entropy(there[:, 1:5], true[:, 3].long(), label_smoothing=0.03)
    facing = (there[:, 5:7] - true[:, 4:6]).square().sum(1).mean()
    place, away = _place_loss(there[:, 7:10], true[:, 1:3], px_per_in)
    right = (there[:, 1:5].argmax(1) == true[:, 3]).float().mean().item()
    loss = presence + posture + 0.5 * facing + 0.3 * place
    return loss, [presence.item(), posture.item(), right, facing.item(), away]


def _place_loss(predicted: torch.Tensor, true: torch.Tensor, px_per_in: float) -> tuple[torch.Tensor, float]:
    """Negative log-likelihood of offsets with log sigma, (N, 3) px, and the error in inches."""
    spread = predicted[:, 2].clamp(-3, 3)
    away = (predicted[:, :2] - true).square().sum(1)
    loss = (away / (2 * torch.exp(2 * spread)) + 2 * spread).clamp(max=30).mean()
    return loss, away.mean().sqrt().item() / px_per_in


def _run(model: nn.Module, shown: torch.Tensor) -> torch.Tensor:
    # Half precision and channels last are much faster with matrix units; half precision is eight times slower without.
    fast = shown.device.type != "cpu" or torch.cpu.get_capabilities().get("amx_bf16", False)
    with torch.autocast(shown.device.type, torch.bfloat16, enabled=fast):
        return model(shown.contiguous(memory_format=torch.channels_last)).float()


class Lesson:
    """A training run of limited time; it writes the network's weights averaged over the last thousand batches."""

    def __init__(self, model: nn.Module, loss_of: Loss, data: Data, seconds: float, rate: float, batch: int) -> None:
        self.model, self.loss_of, self.data = model, loss_of, data
        self.seconds, self.rate, self.batch = seconds, rate, batch
        self.mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(_REMEMBERED), use_buffers=True)
        self.optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=1e-2)
        self.start = time.time()

    def learn(self, out: Path) -> None:
        """Train until the time is over; the network is written after each validated round."""
        turn, over = 0, False
        while not over:
            began, count = time.time(), self.data.look()
            taught, over = self._round()
            line = f"{turn} {count} {np.round(taught, 3)}"
            if turn % 10 == 9 or over:
                line += f" {self._check()}"
                _write(copy.deepcopy(self.mean.module), out, self.data.side)
            print(f"{line} {time.time() - began:.1f} s", flush=True)
            turn += 1

    def _round(self) -> tuple[Array, bool]:
        """A round of batches: the mean losses, and whether the time is over."""
        self.model.train()
        taught, done = [], 0.0
        for _ in range(_ROUND):
            done = min(1.0, (time.time() - self.start) / self.seconds)
            rate = self.rate * min(1.0, 0.1 + done / 0.05) * (0.5 + 0.5 * np.cos(np.pi * done))
            self.optimiser.param_groups[0]["lr"] = rate
            loss, parts = self.loss_of(self.model, *varied(*self.data.some(self.batch)))
            self.optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
            self.optimiser.step()
            self.mean.update_parameters(self.model)
            taught.append(parts)
        return np.mean(taught, axis=0), done >= 1

    def _check(self) -> Array:
        self.mean.eval()
        parts = []
        with torch.no_grad():
            for shown, answers in self.data.files(check=True):
                for start in range(0, len(shown), 1200):
                    rows = slice(start, start + 1200, 3)
                    seen = _middle(shown[rows].float() / BYTE)
                    parts.append(self.loss_of(self.mean.module, seen, answers[rows])[1])
        return np.round(np.mean(parts, axis=0), 4)


def _middle(shown: torch.Tensor) -> torch.Tensor:
    """The centre of stored crops, which the network sees; tiles unchanged."""
    room = (STORED_PX - CROP_PX) // 2
    return shown if shown.shape[-1] == TILE_PX else shown[..., room:-room, room:-room]


def varied(shown: torch.Tensor, answers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Augmented examples: mirrored about the lean, with weaker or patchier evidence, and paler or stronger colours."""
    count, device = len(shown), shown.device

    def drawn(low: float, high: float) -> torch.Tensor:
        return low + (high - low) * torch.rand((count, 1, 1), device=device)

    over = torch.rand(count, device=device) < 0.5
    shown = torch.where(over[:, None, None, None], shown.flip(2), shown)
    if answers.ndim == 4:
        mirrored = answers.flip(1)
        mirrored[..., 3] *= -1
        answers = torch.where(over[:, None, None, None], mirrored, answers)
    else:
        answers = torch.where(over[:, None], answers * answers.new_tensor([1, 1, -1, 1, 1, -1]), answers)
        shown, answers = _moved(shown, answers)
        turn = (2 * torch.rand((count, 1, 1), device=device) - 1) * torch.pi
        turn = turn * (torch.rand((count, 1, 1), device=device) < 0.4)
        c, s = torch.cos(turn), torch.sin(turn)
        for red, blue in ((2, 3), (5, 6)):  # exchange colours
            shown[:, red], shown[:, blue] = (
                c * shown[:, red] - s * shown[:, blue],
                s * shown[:, red] + c * shown[:, blue],
            )
    shift = 0.06 * torch.randn((count, 1, 1), device=device)
    shown[:, 0] = (shown[:, 0] * drawn(0.6, 1.15) + shift).clamp(-1, 1) * shown[:, _SEEN]
    for channels in (slice(1, 4), slice(4, 7)):
        shown[:, channels] *= drawn(0.8, 1.2)[:, None]
    return shown, answers


def _moved(shown: torch.Tensor, answers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Crops slightly rotated and scaled; most are centred near the figure, as for the close-up network."""
    count, device = len(shown), shown.device
    there = (answers[:, 0] > 0) & (torch.rand(count, device=device) < _CLOSELY)
    wide = torch.where(torch.rand((count, 1), device=device) < 0.15, 5.0, 1.6)
    offset = torch.where(there[:, None], answers[:, 1:3] + wide * torch.randn((count, 2), device=device), 0.0)
    offset += torch.rand((count, 2), device=device) - 0.5
    angle = 0.035 * torch.randn(count, device=device)
    scale = 1 + 0.03 * torch.randn(count, device=device)
    c, s = torch.cos(angle), torch.sin(angle)
    # Source pixel of each crop pixel: rotated, scaled and shifted about the crop's centre.
    back = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1) / scale[:, None, None]
    theta = torch.cat([back * (CROP_PX / STORED_PX), (2 / STORED_PX * offset)[..., None]], dim=2)
    grid = functional.affine_grid(theta, [count, CHANNELS, CROP_PX, CROP_PX], align_corners=False)
    out = functional.grid_sample(shown, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
    for channel in (_KNOWN, _LEAN):
        out[:, channel] = shown[:, channel, :1, :1]
    forth = torch.linalg.inv(back)
    answers = answers.clone()
    answers[:, 1:3] = torch.einsum("nij,nj->ni", forth, answers[:, 1:3] - offset)
    answers[:, 4:6] = torch.einsum("nij,nj->ni", forth / scale[:, None, None], answers[:, 4:6])
    return out, answers


def _write(model: nn.Module, out: Path, side: int) -> None:
    torch.save(model.state_dict(), out.with_suffix(".pt"))
    model = model.cpu().eval().to(memory_format=torch.contiguous_format)
    axes = {"shown": {0: "n"}, "said": {0: "n"}}
    example = torch.zeros(1, CHANNELS, side, side)
    torch.onnx.export(
        model,
        (example,),
        out,
        opset_version=13,
        dynamo=False,
        input_names=["shown"],
        output_names=["said"],
        dynamic_axes=axes,
    )
    halved(out)


def halved(file: Path) -> None:
    """Store the weights as float16, each with a cast to float32: half the size, and valid in every runtime."""
    network = onnx.load(file)
    casts = []
    for weights in network.graph.initializer:
        if weights.data_type == onnx.TensorProto.FLOAT and np.prod(weights.dims) > _FEW:
            name, short = weights.name, f"{weights.name}_half"
            weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights).astype(np.float16), short))
            casts.append(onnx.helper.make_node("Cast", [short], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *network.graph.node]
    del network.graph.node[:]
    network.graph.node.extend(nodes)
    onnx.checker.check_model(network, full_check=True)
    onnx.save(network, file)


if __name__ == "__main__":
    main()
