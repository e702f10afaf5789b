"""What the menus, the tool rail, the keys and the picture do to the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.dialogs import ask_folder, ask_picture
from ui.desktop.features import Features
from ui.desktop.messages import Toast
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.formatting import capitalized
from ui.translation import tr


@dataclass(frozen=True)
class Commands:
    """The window's commands; those of one feature are its own."""

    parts: Parts
    store: Store
    battle: BattleController
    features: Features
    toast: Toast

    def open_file(self) -> None:
        """Ask for a picture or a video and open it."""
        if path := ask_picture(self.parts.window):
            self.store.open(str(path))

    def open_folder(self) -> None:
        """Ask for a folder of pictures and open it."""
        if spec := ask_folder(self.parts.window):
            self.store.open(spec)

    def cancel(self) -> None:
        """Cancel the current step or, if there is none, put the tool away."""
        store = self.store
        if self.features.practice.cancel():
            return
        left = store.in_battle and store.tool.name == "select" and self.battle.cancel()
        if not (store.tool.cancel() or left):
            store.use_tool("select")
        store.message.forget()
        store.show()

    def turn(self, steps: int) -> None:
        """Turn a carried soldier, otherwise the tool's wheel."""
        if not self.features.practice.turn(steps):
            self.store.tool.turn(steps)
        self.store.show()

    def type_digit(self, digit: str) -> None:
        """Pass a typed digit to the tool."""
        self.store.tools.type_digit(digit)
        self.store.show()

    def turn_basis(self) -> None:
        """Switch between measuring from base centres and from base edges."""
        self.store.change(self.store.session.turn_basis)

    def undo(self) -> None:
        """Undo the last step: of the battle if its tab is shown, otherwise of the table."""
        source = self.battle if self.store.in_battle else self.store.session
        self._step(source.undo, tr("Undone"), tr("Redo"), self.redo)

    def confirm(self, step: str) -> None:
        """Confirm a recorded step, with a button that undoes it."""
        self.toast.confirm(f"{capitalized(step)}.", tr("Undo"), self.undo)

    def redo(self) -> None:
        """Redo the last undone step."""
        source = self.battle if self.store.in_battle else self.store.session
        self._step(source.redo, tr("Redone"), tr("Undo"), self.undo)

    def _step(self, step: Callable[[], str | None], words: str, opposite: str, go_back: Callable[[], object]) -> None:
        """Undo or redo a step, and confirm it by its name with a button for the opposite."""

        def change() -> None:
            name = step()
            if name is not None:
                self.toast.confirm(f"{words}: {name}.", opposite, go_back)

        self.store.change(change)

    def clear(self) -> None:
        """Remove all rulers and templates."""
        self.store.change(self.store.session.clear)

    def search_now(self) -> None:
        """Search the whole table, even where something is moving."""
        self.store.session.search_now()

    def print_sheets(self) -> None:
        """Ask what to print and where to write it."""
        self.features.prints.print_sheets(self.store.session.state.setup.prints.dictionary)

    def save_snapshot(self, path: Path | None = None, *, bare: bool = False) -> None:
        """Save the picture, with what is drawn over it or `bare`; without a path, ask where."""
        self.store.attempt(lambda: self.features.frozen_frame.save(path, bare=bare))
