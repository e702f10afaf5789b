"""Saved tables on the disk, one for each camera; an unreadable one is renamed, never overwritten."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from calibration.profile import read_json
from rules.tabletop.errors import UserError, user_error
from ui.background_task import BackgroundTask
from ui.files import make_folder, set_aside, write_bytes, write_picture
from ui.session import Session, TableState
from ui.setup.lens import file_name
from ui.setup.saved_table import SavedTable, table_to_save
from ui.setup.saved_table_document import document_of, examples_of, picture_of, table_of
from ui.translation import tr
from vision.frame import ImageBgr
from vision.pictures import read_image
from vision.table_view import TableView

_EVERY_S = 1.0
"""Shortest time between two writes, because dragged terrain changes with every move of the mouse."""
_JITTER_IN = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """The result of loading a saved table.

    Attributes:
        table: The table; None if none was saved, or it cannot be read.
        remark: What is wrong with it, as a sentence; empty if nothing is.
    """

    table: SavedTable | None = None
    remark: str = ""


@dataclass(frozen=True, slots=True)
class SavedTables:
    """The saved tables in a folder: for each camera a document, with the picture of its empty table beside it.

    Attributes:
        locked: Cameras whose document could be neither read nor renamed, so that it must not be overwritten.
    """

    folder: Path
    locked: set[str] = field(default_factory=set)

    def path_of(self, camera: str) -> Path:
        """The document of the camera with this identity, whether or not it exists."""
        return self.folder / f"{file_name(camera)}.json"

    def load(self, camera: str) -> Found:
        """Load this camera's table; an unreadable document is renamed, and the remark says so."""
        path = self.path_of(camera)
        if not os.path.exists(path):
            return Found()
        try:
            document = read_json(path, tr("table"))
            if document.get("camera") != camera:
                raise user_error("it belongs to the camera {camera!r}", camera=document.get("camera"))
            name = picture_of(document)
            picture_bgr, remark = self._picture(name)
            remarks = (remark, examples_of(document.get("examples"))[1])
            return Found(table_of(document, picture_bgr), " ".join(filter(None, remarks)))
        except UserError as error:
            return Found(None, self._set_aside(camera, error))

    def save(self, camera: str, saved: SavedTable) -> None:
        """Save the table. Raises `UserError` if it cannot be written; then the previous save is unchanged."""
        if camera in self.locked:
            return
        path = self.path_of(camera)
        make_folder(self.folder)
        empty_bgr = saved.state.setup.reference_bgr
        name = "" if empty_bgr is None else _picture_name(path.stem, empty_bgr)
        if empty_bgr is not None and not os.path.exists(self.folder / name):
            write_picture(self.folder / name, empty_bgr)
        write_bytes(path, json.dumps(document_of(saved, camera, name), allow_nan=False).encode())
        self._delete_old_pictures(path, name)

    def archive(self, camera: str) -> None:
        """Rename the saved table to make room for a new one, replacing an older one that was archived.

        Raises:
            UserError: if the folder is not writable.
        """
        path = self.path_of(camera)
        try:
            if os.path.exists(path):
                os.replace(path, _before(path))
        except OSError as error:
            raise user_error(
                "{path} cannot be renamed ({reason}): make its folder writable", path=path, reason=error.strerror
            ) from error

    def _picture(self, name: str | None) -> tuple[ImageBgr | None, str]:
        if name is None:
            return None, ""
        try:
            return read_image(self.folder / name), ""
        except UserError as error:
            return None, tr(
                "The picture of the empty table cannot be read ({reason}): learn the empty table again.", reason=error
            )

    def _set_aside(self, camera: str, reason: UserError) -> str:
        path = self.path_of(camera)
        try:
            aside = set_aside(path, lambda number: path.with_suffix(f".unread-{number}.json"))
        except OSError as error:
            self.locked.add(camera)
            return tr(
                "The saved table cannot be read ({reason}) or renamed ({problem}).",
                reason=reason,
                problem=error.strerror,
            )
        return tr(
            "The saved table cannot be read ({reason}). It is now in {path}, and this is a new table.",
            reason=reason, path=aside,
        )  # fmt: skip

    def _delete_old_pictures(self, path: Path, name: str) -> None:
        """Delete this camera's pictures that no document names any more."""
        wanted = {name}
        if os.path.exists(_before(path)):
            try:
                wanted.add(picture_of(read_json(_before(path), tr("table"))) or "")
            except UserError:
                return
        for picture in self.folder.glob(f"{path.stem}.*.png"):
            if picture.name not in wanted:
                picture.unlink(missing_ok=True)


def _before(path: Path) -> Path:
    return path.with_suffix(".before.json")


def _picture_name(stem: str, picture_bgr: ImageBgr) -> str:
    """A name that is unique for each picture, so that a document never names a newer picture."""
    return f"{stem}.{hashlib.sha256(picture_bgr.tobytes()).hexdigest()[:12]}.png"


class TableSaver:
    """Saves one camera's table whenever it changes, in a background thread.

    Attributes:
        refusal: Why the last write failed; empty if it did not.
    """

    def __init__(self, store: SavedTables, camera: str, clock: Callable[[], float]) -> None:
        self._store, self._camera, self._clock = store, camera, clock
        self._task: BackgroundTask[bool] = BackgroundTask("sandtable table")
        self._saved: object = None
        self._since_s = -_EVERY_S

    @property
    def refusal(self) -> str:
        """Why the last write failed."""
        return self._task.refusal

    def save_if_changed(self, session: Session, seen: TableView) -> None:
        """Save the table if it has changed; to be called often."""
        now_s = self._clock()
        if now_s - self._since_s < _EVERY_S or self._task.busy:
            return
        if self.refusal:
            self._saved = self.refusal  # differs from any state, so the table is written again
        self._begin(session, seen, now_s)

    def pause(self, time_s: float) -> None:
        """Write nothing for `time_s` seconds, because another source is about to open."""
        self._since_s = self._clock() + time_s - _EVERY_S

    def finish(self, session: Session | None = None, seen: TableView | None = None) -> None:
        """Save the last changes and wait until they are written."""
        self._task.join()
        if session is not None and seen is not None:
            self._begin(session, seen, self._clock())
            self._task.join()

    def _begin(self, session: Session, seen: TableView, now_s: float) -> None:
        state = _state_to_save(session.state, seen, session)
        saved = table_to_save(session, seen) if state != self._saved else None
        if saved is None or (self._saved is None and not saved.words):
            return
        self._saved, self._since_s = state, now_s
        self._task.start(lambda: self._write(saved))

    def _write(self, saved: SavedTable) -> bool:
        self._store.save(self._camera, saved)
        return True


def _state_to_save(state: TableState, seen: TableView, session: Session) -> object:
    """A value that changes when the table needs saving; small jitter of figures does not change it."""
    tracking = seen.tracking
    figures = [
        (figure.id, str(figure.posture), *(round(inches / _JITTER_IN) for inches in figure.centre_in))
        for figure in (*tracking.figures, *tracking.lost)
    ]
    setup = state.setup
    laid = (setup.terrain, setup.figure_height_in, id(setup.reference_bgr), state.rulers, state.templates)
    corrections = (setup.examples, state.corrections, tuple(session.bound.items()))
    return (laid, state.basis, state.area, corrections, figures, len(tracking.lost))
