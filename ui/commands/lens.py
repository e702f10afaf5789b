"""`sandtable lens`: makes a lens profile from pictures of the printed board."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from calibration.lens import MIN_VIEWS, AddedView, Chessboard, LensViews, add_view, find_view
from calibration.lens_fit import LensFit, fit_lens
from calibration.markers import Board, ImageGray, dictionary_of
from calibration.opencv import cv2
from calibration.profile import lens_document
from rules.tabletop.errors import UserError
from ui.files import check_writable, write_json
from ui.paper.marker_sheet import LENS_BOARD
from ui.setup.lens import LensProfiles, lens_folder, lens_story
from vision.pictures import read_image


def run_lens(options: argparse.Namespace) -> int:
    """Make a lens profile and return the exit status.

    Raises:
        UserError: if a picture or the output cannot be used, or the pictures do not determine the lens.
    """
    check_writable(options.out)
    board = _board(options)
    dictionary_of(options.dictionary)
    lens_views: LensViews | None = None
    for path, gray in _pictures(options.images):
        size = (gray.shape[1], gray.shape[0])
        lens_views = lens_views or LensViews(size)
        answer = add_view(lens_views, find_view(gray, board, options.dictionary))
        lens_views = answer.lens_views
        print(f"{path.name}: {_progress(answer)}", flush=True)
    assert lens_views is not None  # argparse requires a picture
    print(lens_views.coverage.sentence)
    fit = fit_lens(lens_views)
    document = lens_document(fit.lens) | lens_story(lens_views, fit)
    write_json(options.out, document | ({"camera": options.camera} if options.camera else {}))
    print(_summary(lens_views, fit))
    print(f"Wrote {options.out}: use it with --lens {options.out}")
    if options.camera:
        print(f"Saved for {options.camera} in {LensProfiles(lens_folder()).keep(options.camera, fit.lens)}")
    return 0


def _board(options: argparse.Namespace) -> Board | Chessboard:
    if options.board and options.chessboard:
        raise UserError("--board and --chessboard are different boards: give only the one in the pictures")
    if options.chessboard:
        return Chessboard(*options.chessboard)
    return Board(*options.board) if options.board else LENS_BOARD


def _pictures(paths: Iterable[Path]) -> Iterator[tuple[Path, ImageGray]]:
    """Yield each picture in grey.

    Raises:
        UserError: see `read_image`; or if a picture has another size than the first.
    """
    first: tuple[Path, tuple[int, ...]] | None = None
    for path in paths:
        gray = np.asarray(cv2.cvtColor(read_image(path), cv2.COLOR_BGR2GRAY), np.uint8)
        first = first or (path, gray.shape)
        if gray.shape != first[1]:
            this_size, first_size = (f"{shape[1]}x{shape[0]}" for shape in (gray.shape, first[1]))
            raise UserError(
                f"{path} is {this_size} but {first[0]} is {first_size}: use pictures of one size only, because a lens"
                " profile is for one size"
            )
        yield path, gray


def _progress(answer: AddedView) -> str:
    taken = len(answer.lens_views.views)
    if not answer.accepted:
        return f"rejected, {answer.refusal}"
    enough = f"{taken} of at least {MIN_VIEWS}" if taken < MIN_VIEWS else f"{taken} taken"
    corners, part = len(answer.lens_views.views[-1].ids), 100 * answer.lens_views.coverage.part
    return f"taken, {corners} corners; {enough}, {part:.0f} % of the frame covered"


def _summary(lens_views: LensViews, fit: LensFit) -> str:
    left_out = int(np.isnan(fit.by_view_px).sum())
    words = f"{len(lens_views.views) - left_out} pictures: {fit.sentence}"
    if left_out:
        words += f"; {left_out} left out because they contradict the others"
    if lens_views.coverage.missing:
        words += "\nThe lens is only a guess where no picture shows the board: add pictures with the board there"
    return words
