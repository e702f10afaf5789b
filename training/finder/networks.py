"""`python -m training.finder.networks finder|judge|closer FOLDER --to FOLDER`: trains one of the small networks.

The finder says of each cell of a tile whether somebody stands there; the judge looks again at everybody found, more
finely, and says who he is; the closer look does the same once more, from where he stands, in the photo itself.
`FOLDER` holds what `training.finder.tiles` made, or is still making: whatever is new is taken up at the next round.
Of every seed the first file is not learned from: it tells how it goes.

Needs torch and onnx, which the program does not: OpenCV runs what is written. Learns on a graphics card if there is
one, which holds all that is learned from.
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
CROP_PX, STORED_PX = 64, 80  # a crop, and what is kept of it: with room to be moved and turned
_CROPS = {"judge": ("crops", 18.0), "closer": ("closer", 27.0)}  # what each learns from, and its pixels per inch
_WAIST_IN = 0.7  # the height in a crop's middle
_CLOSELY = 0.9  # part of them that is
_KNOWN, _LEAN, _SEEN = 7, 8, 9  # channels
_STANDING_IN = 2.1
FOUND, SAID = 4, 10  # outputs of the finder, for each cell, and of the judge
BYTE = 60.0
_COUNTS = 0.35  # part of a figure that must be seen for him to be missed
_ROUND = 100  # batches
_REMEMBERED = 0.999  # of the weights that are written, a mean over the last batches, after each batch
_FEW = 64  # weights of a layer that are written with all their digits
Array = np.ndarray
Loss = Callable[..., tuple[torch.Tensor, list[float]]]


def main() -> None:
    """Train one network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["finder", "judge", "closer"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", type=Path, default=Path("vision"))
    parser.add_argument("--minutes", type=float, default=60.0, help="after which the rate of learning is down to none")
    parser.add_argument("--start", type=Path, help="weights to begin with")
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
    if options.start:
        began = torch.load(options.start)
        model.load_state_dict({name: values for name, values in began.items() if name != "0.across_in"}, strict=False)
    model = model.to(device, memory_format=torch.channels_last)
    lesson = Lesson(model, loss_of, data, 60 * options.minutes, options.rate, options.batch)
    lesson.learn(options.to / f"{options.which}.onnx")


class Data:
    """What lies in a folder: (N, CHANNELS, side, side) int8 and the answers wanted."""

    def __init__(self, folder: Path, kind: str, answer: Callable[[Array], Array], device: torch.device) -> None:
        self._folder, self._kind, self._answer, self._device = folder, kind, answer, device
        self._known: dict[Path, tuple[torch.Tensor, torch.Tensor]] = {}
        self._teaching: list[tuple[torch.Tensor, torch.Tensor]] = []

    def look(self) -> int:
        """Take up what is new; how much teaches."""
        self._teaching = self.files(check=False)
        return sum(len(shown) for shown, _ in self._teaching)

    @property
    def side(self) -> int:
        """Of what the network is shown."""
        return TILE_PX if self._kind == "tiles" else CROP_PX

    def files(self, check: bool) -> list[tuple[torch.Tensor, torch.Tensor]]:
        """Those that teach, or those that tell how it goes, new ones included."""
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
        """A batch out of eight of the files that teach."""
        files = self._teaching
        chosen = torch.multinomial(torch.tensor([float(len(shown)) for shown, _ in files]), 8, replacement=True)
        rows = [torch.randint(len(files[k][0]), (count // 8,), device=self._device) for k in chosen.tolist()]
        picked = [(files[k][0][row], files[k][1][row]) for k, row in zip(chosen.tolist(), rows, strict=True)]
        return torch.cat([shown for shown, _ in picked]).float() / BYTE, torch.cat([answer for _, answer in picked])


class _Layer(nn.Module):
    """A layer that adds to what it is given."""

    def __init__(self, width: int, spread: int = 1) -> None:
        super().__init__()
        self.turn = nn.Conv2d(width, width, 3, padding=spread, dilation=spread)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(x + self.norm(self.turn(x)))


class _Ruler(nn.Module):
    """Adds two rulers along the lean, from where he ought to stand: inches, and what part of a standing man's height.

    How tall somebody is shows in how far his head is from his feet, but only against how far bodies lean there; from
    a lean that is the same in each pixel, that is learned slowly.
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
    """Two halvings, then layers that look about two inches round: heat, offset (2) and log sigma of each cell."""
    layers = [_Layer(32, spread) for spread in (1, 1, 2, 1, 2)]
    last = [nn.Conv2d(32, 64, 1), nn.ReLU(), nn.Conv2d(64, FOUND, 1)]
    return nn.Sequential(_step(CHANNELS, 24, 2), _step(24, 32, 2), *layers, *last)


def judge(px_per_in: float) -> nn.Sequential:
    """Of a crop: whether somebody, his posture (4), facing (2), offset (2) and log sigma."""
    return nn.Sequential(
        _Ruler(px_per_in), _step(CHANNELS + 2, 32, 2), _Layer(32), _Layer(32), _step(32, 64, 2), _Layer(64),
        _Layer(64), _Layer(64), _step(64, 96, 2), _Layer(96), _Layer(96), _Layer(96), _step(96, 128, 2), _Layer(128),
        nn.Flatten(), nn.Dropout(0.4), nn.Linear(128 * 16, 112), nn.ReLU(), nn.Linear(112, SAID),
    )  # fmt: skip


def crop_of_truth(truth: Array) -> Array:
    """Of one crop (1, 6): whether somebody, the offset to him from its middle (2), posture, facing (2)."""
    x, y, posture, *facing, _ = truth[0]
    if np.isnan(x):
        return np.zeros(6, np.float32)
    middle = (STORED_PX - 1) / 2
    return np.array([1.0, x - middle, y - middle, posture, *facing], np.float32)


def cells_of_truth(truth: Array) -> Array:
    """Of one tile (CELLS, CELLS, 5): heat, its weight; near somebody the offset to him (2), and whether near."""
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
    somebody = functional.binary_cross_entropy_with_logits(got[:, 0], true[:, 0])
    there, true = got[true[:, 0] > 0], true[true[:, 0] > 0]
    posture = functional.cross_entropy(there[:, 1:5], true[:, 3].long(), label_smoothing=0.03)
    facing = (there[:, 5:7] - true[:, 4:6]).square().sum(1).mean()
    place, away = _place_loss(there[:, 7:10], true[:, 1:3], px_per_in)
    right = (there[:, 1:5].argmax(1) == true[:, 3]).float().mean().item()
    loss = somebody + posture + 0.5 * facing + 0.3 * place
    return loss, [somebody.item(), posture.item(), right, facing.item(), away]


def _place_loss(said: torch.Tensor, true: torch.Tensor, px_per_in: float) -> tuple[torch.Tensor, float]:
    """Of an offset with its log sigma, (N, 3) px: negative log-likelihood, and the error in inches."""
    spread = said[:, 2].clamp(-3, 3)
    away = (said[:, :2] - true).square().sum(1)
    loss = (away / (2 * torch.exp(2 * spread)) + 2 * spread).clamp(max=30).mean()
    return loss, away.mean().sqrt().item() / px_per_in


def _run(model: nn.Module, shown: torch.Tensor) -> torch.Tensor:
    # Halves of precision and channels in the last place: quicker by far on processors with matrix units.
    with torch.autocast(shown.device.type, torch.bfloat16):
        return model(shown.contiguous(memory_format=torch.channels_last)).float()


class Lesson:
    """A network that learns for a while; what is written is the mean of its weights over the last thousand batches."""

    def __init__(self, model: nn.Module, loss_of: Loss, data: Data, seconds: float, rate: float, batch: int) -> None:
        self.model, self.loss_of, self.data = model, loss_of, data
        self.seconds, self.rate, self.batch = seconds, rate, batch
        self.mean = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(_REMEMBERED), use_buffers=True)
        self.optimiser = torch.optim.AdamW(model.parameters(), rate, weight_decay=1e-2)
        self.start = time.time()

    def learn(self, out: Path) -> None:
        """Until the time is over; the network is written after each round that is checked."""
        turn, over = 0, False
        while not over:
            began, count = time.time(), self.data.look()
            taught, over = self._round()
            told = f"{turn} {count} {np.round(taught, 3)}"
            if turn % 10 == 9 or over:
                told += f" {self._check()}"
                _write(copy.deepcopy(self.mean.module), out, self.data.side)
            print(f"{told} {time.time() - began:.1f} s", flush=True)
            turn += 1

    def _round(self) -> tuple[Array, bool]:
        """A round of batches; what was lost in them on average, and whether the time is over."""
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
    """Of crops as they are kept, what is shown; tiles as they are."""
    room = (STORED_PX - CROP_PX) // 2
    return shown if shown.shape[-1] == TILE_PX else shown[..., room:-room, room:-room]


def varied(shown: torch.Tensor, answers: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Half of them mirrored about the lean; evidence fainter or patchier than here, colours paler or stronger."""
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
        for red, blue in ((2, 3), (5, 6)):  # other colours
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
    """Crops a little turned and grown; most of those of somebody from about where he stands.

    So they are seen at the second look.
    """
    count, device = len(shown), shown.device
    there = (answers[:, 0] > 0) & (torch.rand(count, device=device) < _CLOSELY)
    wide = torch.where(torch.rand((count, 1), device=device) < 0.15, 5.0, 1.6)
    offset = torch.where(there[:, None], answers[:, 1:3] + wide * torch.randn((count, 2), device=device), 0.0)
    offset += torch.rand((count, 2), device=device) - 0.5
    angle = 0.035 * torch.randn(count, device=device)
    grown = 1 + 0.03 * torch.randn(count, device=device)
    c, s = torch.cos(angle), torch.sin(angle)
    # A pixel of the crop, from its middle, comes from this place of what is kept: turned, shrunk and moved.
    back = torch.stack([torch.stack([c, -s], 1), torch.stack([s, c], 1)], 1) / grown[:, None, None]
    theta = torch.cat([back * (CROP_PX / STORED_PX), (2 / STORED_PX * offset)[..., None]], dim=2)
    grid = functional.affine_grid(theta, [count, CHANNELS, CROP_PX, CROP_PX], align_corners=False)
    out = functional.grid_sample(shown, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
    for channel in (_KNOWN, _LEAN):
        out[:, channel] = shown[:, channel, :1, :1]
    forth = torch.linalg.inv(back)
    answers = answers.clone()
    answers[:, 1:3] = torch.einsum("nij,nj->ni", forth, answers[:, 1:3] - offset)
    answers[:, 4:6] = torch.einsum("nij,nj->ni", forth / grown[:, None, None], answers[:, 4:6])
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
    """Store the weights as float16, each followed by a cast to float32: half the size, and valid in every runtime."""
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
