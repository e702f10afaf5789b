"""`python -m benchmarks.training.networks finder|judge FOLDER --to FOLDER`: trains one of the two small networks.

The finder says of each cell of a tile whether somebody stands there; the judge looks again at everybody found, more
finely, and says who he is. `FOLDER` holds what `benchmarks.training.tiles` made, or is still making: whatever is new is
taken up at the next round. Of every seed the first file is not learned from: it tells how it goes. Several processes
may learn together (`--of 2 --worker 0` and `--worker 1`, side by side): their weights are averaged as they go.

Needs torch and onnx, which the program does not: OpenCV runs what is written.
"""

from __future__ import annotations

import argparse
import copy
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from torch import distributed, nn
from torch.nn import functional

CELL_PX, CELLS, TILE_PX, CHANNELS = 4, 18, 72, 10
CROP_PX = 64
_CROP_PX_PER_IN, _WAIST_IN, _LEAN = 18.0, 0.7, 8  # of a crop: scale, the height in its middle, the channel of lean
_STANDING_IN = 2.1
FOUND, SAID = 4, 10  # outputs of the finder, for each cell, and of the judge
BYTE = 60.0
_COUNTS = 0.35  # part of a figure that must be seen for him to be missed
_BATCH, _ROUND = 64, 100
_TOGETHER = 10  # batches between two averagings of the processes' weights
Array = np.ndarray
Loss = Callable[..., tuple[torch.Tensor, list[float]]]


def main() -> None:
    """Train one network."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("which", choices=["finder", "judge"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--to", type=Path, default=Path("vision"))
    parser.add_argument("--minutes", type=float, default=60.0, help="after which the rate of learning is down to none")
    parser.add_argument("--start", type=Path, help="weights to begin with")
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--worker", type=int, default=0)
    parser.add_argument("--of", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    if options.of > 1:
        meet = (options.to / "meeting").absolute()
        distributed.init_process_group("gloo", f"file://{meet}", rank=options.worker, world_size=options.of)
    if options.which == "finder":
        model, loss_of, data = finder(), _finder_loss, Data(options.folder, "tiles", cells_of_truth)
    else:
        model, loss_of, data = judge(), _judge_loss, Data(options.folder, "crops", crop_of_truth)
    if options.start:
        model.load_state_dict(torch.load(options.start))
    _train(model, loss_of, data, 60 * options.minutes, options.rate, options.to / f"{options.which}.onnx")


class Data:
    """What lies in a folder: (N, CHANNELS, side, side) int8 and the answers wanted."""

    def __init__(self, folder: Path, kind: str, answer: Callable[[Array], Array]) -> None:
        self._folder, self._kind, self._answer = folder, kind, answer
        self._known: dict[Path, tuple[Array, Array]] = {}

    def files(self, check: bool) -> list[tuple[Array, Array]]:
        """Those that teach, or those that tell how it goes, new ones included."""
        named: dict[str, list[Path]] = {}
        for file in sorted(self._folder.glob(f"{self._kind}-*[0-9].npy")):
            named.setdefault(file.stem.rsplit("-", 1)[0], []).append(file)
        chosen = [file for files in named.values() for file in (files[:1] if check else files[1:])]
        for file in chosen:
            if file not in self._known:
                answers = np.stack([self._answer(truth) for truth in np.load(file.with_suffix(".truths.npy"))])
                self._known[file] = np.load(file, mmap_mode="r"), answers.astype(np.float16)
        return [self._known[file] for file in chosen]


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

    def __init__(self) -> None:
        super().__init__()
        across_in = (torch.arange(CROP_PX) - (CROP_PX - 1) / 2) / _CROP_PX_PER_IN
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


def judge() -> nn.Sequential:
    """Of a crop: whether somebody, his posture (4), facing (2), offset (2) and log sigma."""
    return nn.Sequential(
        _Ruler(), _step(CHANNELS + 2, 32, 2), _Layer(32), _Layer(32), _step(32, 64, 2), _Layer(64), _Layer(64),
        _Layer(64), _step(64, 96, 2), _Layer(96), _Layer(96), _Layer(96), _step(96, 128, 2), _Layer(128),
        nn.Flatten(), nn.Dropout(0.4), nn.Linear(128 * 16, 112), nn.ReLU(), nn.Linear(112, SAID),
    )  # fmt: skip


def crop_of_truth(truth: Array) -> Array:
    """Of one crop (1, 6): whether somebody, the offset to him from its middle (2), posture, facing (2)."""
    x, y, posture, *facing, _ = truth[0]
    if np.isnan(x):
        return np.zeros(6, np.float32)
    return np.array([1.0, x - (CROP_PX - 1) / 2, y - (CROP_PX - 1) / 2, posture, *facing], np.float32)


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


def _finder_loss(model: nn.Module, shown: Array, answers: Array) -> tuple[torch.Tensor, list[float]]:
    heat, weight, near = (torch.from_numpy(answers[..., k]) for k in (0, 1, 4))
    got = _run(model, shown)
    chance = torch.sigmoid(got[:, 0]).clamp(1e-4, 1 - 1e-4)
    hit = (heat > 0.9).float()
    hot = -(hit * (1 - chance) ** 2 * chance.log()) - (1 - hit) * (1 - heat) ** 4 * chance**2 * (1 - chance).log()
    hot = (hot * weight).sum() / hit.sum().clamp(min=1)
    there = got.permute(0, 2, 3, 1)[near > 0]
    place, away = _place_loss(there[:, 1:4], torch.from_numpy(answers[..., 2:4])[near > 0], 12.0)
    return hot + 0.5 * place, [hot.item(), away]


def _judge_loss(model: nn.Module, shown: Array, answers: Array) -> tuple[torch.Tensor, list[float]]:
    true = torch.from_numpy(answers)
    got = _run(model, shown)
    somebody = functional.binary_cross_entropy_with_logits(got[:, 0], true[:, 0])
    there, true = got[true[:, 0] > 0], true[true[:, 0] > 0]
    posture = functional.cross_entropy(there[:, 1:5], true[:, 3].long(), label_smoothing=0.03)
    facing = (there[:, 5:7] - true[:, 4:6]).square().sum(1).mean()
    place, away = _place_loss(there[:, 7:10], true[:, 1:3], 18.0)
    right = (there[:, 1:5].argmax(1) == true[:, 3]).float().mean().item()
    loss = somebody + posture + 0.5 * facing + 0.3 * place
    return loss, [somebody.item(), posture.item(), right, facing.item(), away]


def _place_loss(said: torch.Tensor, true: torch.Tensor, px_per_in: float) -> tuple[torch.Tensor, float]:
    """Of an offset with its log sigma, (N, 3) px: negative log-likelihood, and the error in inches."""
    spread = said[:, 2].clamp(-3, 3)
    away = (said[:, :2] - true).square().sum(1)
    loss = (away / (2 * torch.exp(2 * spread)) + 2 * spread).clamp(max=30).mean()
    return loss, away.mean().sqrt().item() / px_per_in


def _run(model: nn.Module, shown: Array) -> torch.Tensor:
    # Halves of precision and channels in the last place: quicker by far on processors with matrix units.
    with torch.autocast("cpu", torch.bfloat16):
        return model(torch.from_numpy(shown).contiguous(memory_format=torch.channels_last)).float()


def _train(model: nn.Module, loss_of: Loss, data: Data, seconds: float, rate: float, out: Path) -> None:
    alone = not distributed.is_initialized()
    worker = 0 if alone else distributed.get_rank()
    model = model.to(memory_format=torch.channels_last)
    learn = torch.optim.AdamW(model.parameters(), rate, weight_decay=2e-3)
    rng = np.random.default_rng(worker)
    start, turn, over = time.time(), 0, False
    while not over:
        model.train()
        began, taught = time.time(), []
        files = data.files(check=False)
        part = np.array([len(shown) for shown, _ in files], float)
        for k in range(_ROUND):
            done = min(1.0, (time.time() - start) / seconds)
            learn.param_groups[0]["lr"] = rate * min(1.0, 0.1 + done / 0.05) * (0.5 + 0.5 * np.cos(np.pi * done))
            loss, parts = loss_of(model, *_varied(*_some(files, part / part.sum(), rng), rng))
            learn.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            learn.step()
            taught.append(parts)
            if not alone and k % _TOGETHER == 0:
                _average(model)
        over = done >= 1
        if not alone:
            over = _average(model, over)
        if worker == 0:
            told = f"{turn} {int(part.sum())} {np.round(np.mean(taught, axis=0), 3)}"
            checked = f" {_check(model, loss_of, data)}" if turn % 3 == 2 or over else ""
            print(f"{told}{checked} {time.time() - began:.0f} s", flush=True)
            _write(copy.deepcopy(model), out, files[0][0].shape[-1])
        turn += 1


def _some(files: list[tuple[Array, Array]], part: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """A batch out of four of the files."""
    chosen = rng.choice(len(files), 4, p=part)
    rows = [np.sort(rng.integers(len(files[k][0]), size=_BATCH // 4)) for k in chosen]
    return tuple(np.concatenate([files[k][n][row] for k, row in zip(chosen, rows, strict=True)]) for n in (0, 1))


def _average(model: nn.Module, over: bool = False) -> bool:
    """Take the mean of the weights of all processes; whether one of them says that it is over."""
    values = [value for value in model.state_dict().values() if value.is_floating_point()]
    flat = torch.cat([torch.tensor([float(over)]), *(value.reshape(-1) for value in values)])
    distributed.all_reduce(flat)
    flat /= distributed.get_world_size()
    start = 1
    for value in values:
        value.copy_(flat[start : start + value.numel()].view_as(value))
        start += value.numel()
    return bool(flat[0] > 0)


def _check(model: nn.Module, loss_of: Loss, data: Data) -> Array:
    model.eval()
    parts = []
    with torch.no_grad():
        for shown, answers in data.files(check=True):
            for some in np.array_split(np.arange(0, len(shown), 3), max(1, len(shown) // 400)):
                parts.append(loss_of(model, shown[some].astype(np.float32) / BYTE, answers[some].astype(np.float32))[1])
    return np.round(np.mean(parts, axis=0), 4)


def _varied(shown: Array, answers: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Half of them mirrored about the lean; evidence fainter or patchier than here, colours paler or stronger."""
    shown, answers = shown.astype(np.float32) / BYTE, answers.astype(np.float32)
    over = rng.random(len(shown)) < 0.5
    shown[over] = shown[over, :, ::-1]
    if answers.ndim == 4:
        answers[over] = answers[over, ::-1]
        answers[over, ..., 3] *= -1
    else:
        answers[np.ix_(over, [2, 5])] *= -1
    count = len(shown)
    gain, shift = rng.uniform(0.6, 1.15, (count, 1, 1)), rng.normal(0, 0.06, (count, 1, 1))
    shown[:, 0] = np.clip(shown[:, 0] * gain + shift, -1, 1) * shown[:, 9]
    for channels in (slice(1, 4), slice(4, 7)):
        shown[:, channels] *= rng.uniform(0.8, 1.2, (count, 1, 1, 1)).astype(np.float32)
    if answers.ndim == 2:
        _centred(shown, answers, rng)
        # other colours
        turn = rng.uniform(-np.pi, np.pi, (count, 1, 1)) * (rng.random((count, 1, 1)) < 0.4)
        c, s = np.cos(turn).astype(np.float32), np.sin(turn).astype(np.float32)
        for red, blue in ((2, 3), (5, 6)):
            shown[:, red], shown[:, blue] = (
                c * shown[:, red] - s * shown[:, blue],
                s * shown[:, red] + c * shown[:, blue],
            )
    return np.ascontiguousarray(shown, np.float32), answers


def _centred(shown: Array, answers: Array, rng: np.random.Generator) -> None:
    """Two thirds of those of somebody are seen from where he stands, as the judge sees them at its second look."""
    for k in np.flatnonzero((answers[:, 0] > 0) & (rng.random(len(answers)) < 0.67)):
        across, down = np.round(answers[k, 1:3] + rng.normal(0, 0.9, 2)).astype(int)
        left, top = max(0, across), max(0, down)
        right, bottom = CROP_PX + min(0, across), CROP_PX + min(0, down)
        moved = np.zeros_like(shown[k])
        moved[8] = shown[k, 8]
        moved[:, top - down : bottom - down, left - across : right - across] = shown[k, :, top:bottom, left:right]
        shown[k] = moved
        answers[k, 1:3] -= (across, down)


def _write(model: nn.Module, out: Path, side: int) -> None:
    torch.save(model.state_dict(), out.with_suffix(".pt"))
    model = model.eval().to(memory_format=torch.contiguous_format)
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


if __name__ == "__main__":
    main()
