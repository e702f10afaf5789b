"""Kept tables on the disk, one for each camera: written whole or not at all, and never written over unread."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from platformdirs import user_data_path

from calibration.profile import read_json
from rules.tabletop.errors import UserError
from ui.background_task import Behind
from ui.files import make_folder, set_aside, write_bytes, write_picture
from ui.session import Session, TableState
from ui.setup.profiles import file_name
from ui.setup.saved_examples import examples_of
from ui.setup.saved_table import KeptTable, kept_of
from ui.setup.saved_table_document import document_of, picture_of, table_of
from vision.frame import ImageBgr
from vision.source import read_image
from vision.table_view import TableView

_EVERY_S = 1.0
"""Between two writings: a piece of terrain that is dragged changes with every step of the mouse."""
_SHIMMER_IN = 0.1


def tables_folder() -> Path:
    """Where this user's tables are kept; it need not exist yet."""
    return user_data_path("sandtable", appauthor=False) / "tables"


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What was kept of a camera's table.

    Attributes:
        table: It; None where nothing was kept, or it cannot be read.
        remark: What is wrong with it, as a sentence; empty where all is well.
    """

    table: KeptTable | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class TableShelf:
    """The kept tables in a folder: a document for each camera, and beside it the picture of its empty table.

    Attributes:
        folder: It.
        shut: Cameras whose document could be neither read nor set aside: it stays as it is.
    """

    folder: Path
    shut: set[str] = field(default_factory=set)

    def path_of(self, camera: str) -> Path:
        """The document of this camera (its identity), whether or not it is there."""
        return self.folder / f"{file_name(camera)}.json"

    def take(self, camera: str) -> Found:
        """What was kept of this camera's table; a document that cannot be read is set aside, as the remark says."""
        path = self.path_of(camera)
        if not os.path.exists(path):
            return Found()
        try:
            document = read_json(path, "table")
            if document.get("camera") != camera:
                raise UserError(f"it is of the camera {document.get('camera')!r}")
            name = picture_of(document)
            picture_bgr, remark = self._picture(name)
            remarks = (remark, examples_of(document.get("examples"))[1])
            return Found(table_of(document, picture_bgr), " ".join(filter(None, remarks)))
        except UserError as refusal:
            return Found(None, self._set_aside(camera, refusal))

    def keep(self, camera: str, kept: KeptTable) -> None:
        """Keep the table as it is now.

        Raises:
            UserError: if it cannot be written; what was kept before is still there.
        """
        if camera in self.shut:
            return
        path = self.path_of(camera)
        make_folder(self.folder)
        name = "" if kept.empty is None else _picture_name(path.stem, kept.empty.picture_bgr)
        if kept.empty is not None and not os.path.exists(self.folder / name):
            write_picture(self.folder / name, kept.empty.picture_bgr)
        write_bytes(path, json.dumps(document_of(kept, camera, name), allow_nan=False).encode())
        self._tidy(path, name)

    def lay_by(self, camera: str) -> None:
        """Make room for another table; the one that was kept stays beside it, until the next is laid by.

        Raises:
            UserError: if the folder cannot be written in.
        """
        path = self.path_of(camera)
        try:
            if os.path.exists(path):
                os.replace(path, _before(path))
        except OSError as error:
            raise UserError(f"{path} cannot be renamed ({error.strerror}): make its folder writable") from error

    def _picture(self, name: str | None) -> tuple[ImageBgr | None, str]:
        if name is None:
            return None, ""
        try:
            return read_image(self.folder / name), ""
        except UserError as refusal:
            return None, f"The picture of the empty table is not to be had ({refusal}): learn it anew."

    def _set_aside(self, camera: str, why: UserError) -> str:
        path = self.path_of(camera)
        try:
            aside = set_aside(path, lambda number: path.with_suffix(f".unread-{number}.json"))
        except OSError as error:
            self.shut.add(camera)
            return f"What was kept of this table cannot be read ({why}); it stays as it is ({error.strerror})."
        return f"What was kept of this table cannot be read ({why}). It is set aside as {aside}; begin afresh."

    def _tidy(self, path: Path, name: str) -> None:
        """Take away pictures of this camera's that no document names any more."""
        wanted = {name}
        if os.path.exists(_before(path)):
            try:
                wanted.add(picture_of(read_json(_before(path), "table")) or "")
            except UserError:
                return
        for picture in self.folder.glob(f"{path.stem}.*.png"):
            if picture.name not in wanted:
                picture.unlink(missing_ok=True)


def _before(path: Path) -> Path:
    return path.with_suffix(".before.json")


def _picture_name(stem: str, picture_bgr: ImageBgr) -> str:
    """Of its own for each picture: a document and its picture are never of two evenings."""
    return f"{stem}.{hashlib.sha256(picture_bgr.tobytes()).hexdigest()[:12]}.png"


class TableKeeper:
    """Keeps one camera's table as it changes, in a thread of its own.

    Attributes:
        refusal: Why the last writing failed; empty where it did not.
    """

    def __init__(self, shelf: TableShelf, camera: str, clock: Callable[[], float]) -> None:
        self._shelf, self._camera, self._clock = shelf, camera, clock
        self._behind: Behind[bool] = Behind("sandtable table")
        self._kept: object = None
        self._since_s = -_EVERY_S

    @property
    def refusal(self) -> str:
        """Why the last writing failed."""
        return self._behind.refusal

    def note(self, session: Session, seen: TableView) -> None:
        """Keep what is new about the table; called as often as anybody likes."""
        now_s = self._clock()
        if now_s - self._since_s < _EVERY_S or self._behind.busy:
            return
        if self.refusal:
            self._kept = self.refusal  # and so it is news again
        self._begin(session, seen, now_s)

    def rest(self, time_s: float) -> None:
        """Write nothing for so long: what is seen is about to be another."""
        self._since_s = self._clock() + time_s - _EVERY_S

    def finish(self, session: Session | None = None, seen: TableView | None = None) -> None:
        """Keep what is still to be kept, and wait for it."""
        self._behind.join()
        if session is not None and seen is not None:
            self._begin(session, seen, self._clock())
            self._behind.join()

    def _begin(self, session: Session, seen: TableView, now_s: float) -> None:
        news = _news(session.state, seen, session)
        kept = kept_of(session, seen) if news != self._kept else None
        if kept is None or (self._kept is None and not kept.words):
            return
        self._kept, self._since_s = news, now_s
        self._behind.start(lambda: self._write(kept))

    def _write(self, kept: KeptTable) -> bool:
        self._shelf.keep(self._camera, kept)
        return True


def _news(state: TableState, seen: TableView, session: Session) -> object:
    """All whose change is worth writing; a figure's shimmer and what is kept elsewhere are not."""
    tracking = seen.tracking
    figures = [
        (one.id, str(one.posture), *(round(inches / _SHIMMER_IN) for inches in one.centre_in))
        for one in (*tracking.figures, *tracking.lost)
    ]
    setup = state.setup
    told = (setup.terrain, setup.figure_height_in, id(setup.reference_bgr), state.rulers, state.templates)
    known = (setup.examples, state.corrections, tuple(session.bound.items()))
    return (told, state.basis, state.area, known, figures, len(tracking.lost))
