"""The Battle tab: a figure's actions and their reasons, the history, and the games to choose from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from PyQt6.QtCore import Qt, pyqtBoundSignal, pyqtSignal
from PyQt6.QtGui import QPixmap, QShowEvent
from PyQt6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLabel,
    QLayout,
    QLineEdit,
    QListWidget,
    QPushButton,
    QSizePolicy,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from rules.engine.action import Action
from rules.engine.game import Question
from rules.engine.needed import needed_words
from rules.engine.posture_doubt import PostureDoubt
from rules.engine.preview import ActionPreview
from rules.games import game_names
from rules.tabletop.errors import UserError
from rules.tabletop.template import Template
from ui.battle.action_text import doubt_answers, doubt_words, reason_rows
from ui.battle.battle_setup import about_game, title_of
from ui.battle.dice import Throws, alike, needs_dice, thrown_words
from ui.desktop.battle.action_list import ActionList
from ui.desktop.battle.dice_card import DiceCard, DiceFaces
from ui.desktop.battle.pending_moves import PendingMoves
from ui.desktop.battle.round_bar import RoundBar
from ui.desktop.picture.image import to_qimage
from ui.desktop.theme import make_primary
from ui.desktop.widgets import (
    Scrolled,
    button_with_tip,
    clear_layout,
    described,
    escape_markup,
    in_column,
    in_row,
    markup_label,
    name_tabs,
    plain_label,
    set_font,
    show_words,
    wrapping_label,
)
from ui.formatting import capitalized
from ui.rules_text import display_name, translated
from ui.translation import mark_for_translation, tr
from ui.vocabulary import posture_words
from vision.frame import ImageBgr

CLICK_ONE = mark_for_translation("Click a soldier to see its actions, or press U for the next one.")
PHOTO_PX = 96
_BUTTON_PX = 40
_BIG_FONT_SCALE = 1.7
_DICE_BESIDE_WORDS = 2
"""The most dice that leave room for words beside them."""

_TYPED = {
    int: mark_for_translation("A whole number"),
    float: mark_for_translation("A number"),
    list: mark_for_translation("Names separated by commas"),
}
_NAME = mark_for_translation("A name")


class BattlePanel(QWidget):
    """The Battle tab; independent of journal and camera.

    Attributes:
        round_bar: The bar of rounds.
        pending_moves: Decisions that wait for the players, such as moves that the camera saw.
        games: The games to start a battle with; shown while none is open.
        absent: The soldiers that are not on the table.
        about: The selected figure and its movement or aim.
        action_list: The actions.
        needed: The number needed for the selected action.
        result: The last result, large, until an action is selected.
        why: The reasons for the selected action's numbers or for the last result.
        overrule_button, goals_button: Overrule the rules or the dice; show the goals.
        do_button: Performs the selected action, with dice rolled by the program if it needs any.
        posture_doubts: What the camera is not sure of and matters to an action.

    Signals:
        wanted: Perform this `Action`; its dice are asked for.
        roll_wanted: Perform this `Action` with dice rolled by the program.
        roll_all_wanted: The same for this `Action` and all others of its kind that the phase needs.
        settled: The players decided this `Ambiguity` with this answer.
        answered: The players answered a fact (its name, its value) of this `Action`.
        posture_said: The players said in which `Posture` the figure with this id is.
        overrule_requested: The players want to overrule the rules or the dice.
        goals: The players want to see or change the goals.
    """

    wanted = pyqtSignal(object)
    roll_wanted = pyqtSignal(object)
    roll_all_wanted = pyqtSignal(object)
    settled = pyqtSignal(object, str)
    answered = pyqtSignal(object, str, object)
    posture_said = pyqtSignal(str, object)
    overrule_requested = pyqtSignal()
    goals = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.posture_doubts: Callable[[ActionPreview], Iterable[PostureDoubt]] = lambda _: ()
        self.about, self.why, self.absent = markup_label(), wrapping_label(), wrapping_label()
        self._create_buttons()
        self._photo, self._below = QLabel(), QWidget()
        self.action_list, self._story = ActionList(), QListWidget()
        self.games = GameList()
        self.round_bar, self.pending_moves = RoundBar(), PendingMoves()
        self.needed, self.result = plain_label(), plain_label()
        self._dice_card: DiceCard | None = None
        self._actions, self._dice, self._tabs = QWidget(), QVBoxLayout(), QTabWidget()
        self._throws = QVBoxLayout()
        self._ambiguities, self._open = QFormLayout(), QFormLayout()
        self._lay_out()

    @property
    def chosen(self) -> ActionPreview | None:
        return self.action_list.chosen

    @property
    def first_template(self) -> Template | None:
        """The template of the first possible action that has one."""
        return next(
            (one.action.template for one in self.action_list.previews if one.possible and one.action.template), None
        )

    def show_battle_open(self, is_open: bool) -> None:
        """Show what belongs to an open battle, or offer to start one."""
        for widget in (self.games, self._below):
            widget.setVisible(not is_open)
        for widget in (self.do_button, self.overrule_button, self.action_list, self.goals_button):
            widget.setVisible(is_open)

    def show_photo(self, image_bgr: ImageBgr | None) -> None:
        """Show a picture of the selected figure; None shows none."""
        if image_bgr is not None:
            self._photo.setPixmap(QPixmap.fromImage(to_qimage(image_bgr)))
        self._photo.setVisible(image_bgr is not None)

    def take_focus(self) -> None:
        """Give the action list the focus: up and down select, Return performs the action."""
        if self.isVisible():
            (self._dice_card or self.action_list).setFocus()

    def show_actions(
        self, previews: Sequence[ActionPreview], lines: Sequence[str] = (), figure: str = "", unit: str = ""
    ) -> None:
        """Show actions below these lines and, if they are a figure's, below its name and unit."""
        heading = f"<b>{escape_markup(display_name(figure))}</b>, {escape_markup(unit)}" if figure else ""
        self.about.setText("<br>".join(filter(None, (heading, *map(escape_markup, lines)))))
        had_chosen = self.chosen is not None  # whose reasons must not stay without it
        self._explain(keep=not self.action_list.show_actions(previews) and not had_chosen)

    def show_story(self, lines: Sequence[str]) -> None:
        """Show the story, scrolled to the newest line."""
        while self._story.count() > len(lines):
            self._story.takeItem(self._story.count() - 1)
        for row, line in enumerate(lines):
            item = self._story.item(row)
            if item is None:
                self._story.addItem(line)
            elif item.text() != line:
                item.setText(line)
        self._story.scrollToBottom()

    def show_outcome(self, words: str, result: str = "") -> None:
        """Show a result and its reasons, and deselect the action, whose odds would take their place."""
        self.action_list.setCurrentItem(None)
        show_words(self.result, result)
        self.why.setText(words)
        clear_layout(self._throws)
        self._show_reasons()

    def show_owed(self, words: str) -> None:
        """Show what is still owed below the actions, of which one may be selected."""
        self.why.setText(words)
        self._show_reasons()

    def show_throws(self, throws: Throws) -> None:
        for request, roll in throws:
            words, throw = wrapping_label(thrown_words(request, roll.faces)), QWidget()
            dice = DiceFaces(request.die, request.count, roll.faces)
            if request.count <= _DICE_BESIDE_WORDS:
                in_row(dice, (words, 1), on=throw, margin=0)
            else:
                in_column(words, dice, on=throw, margin=0)
            self._throws.addWidget(throw)
        self._show_reasons()

    def show_dice(self, card: DiceCard | None) -> None:
        """Show a dice request in place of the actions; None shows the actions again."""
        self._actions.setVisible(card is None)
        self.round_bar.setEnabled(card is None)
        self.pending_moves.setEnabled(card is None)
        clear_layout(self._dice)
        self._dice_card = card
        if card is not None:
            self._tabs.setCurrentIndex(0)
            room = Scrolled(card, 5 * self.fontMetrics().lineSpacing())
            self._dice.addWidget(room)
            room.show()  # now, because only what is shown takes the focus
        self.take_focus()

    def choose_dice(self) -> None:
        """Select the best action if it is an obligation; none if the players must choose between answers to it."""
        self.action_list.setCurrentItem(None)
        self.action_list.choose(0)
        if (one := self.chosen) is not None and not (one.action.owed and (self._is_only(one) or needs_dice(one))):
            self.action_list.setCurrentItem(None)

    def _is_only(self, one: ActionPreview) -> bool:
        """Whether an obligation of a figure, or of a rule, has no other answer."""
        owed = [each.action for each in self.action_list.previews if each.action.owed]
        by, rule = one.action.by, one.action.owed
        return sum(each.by == by and (bool(by) or each.owed == rule) for each in owed) == 1

    def _explain(self, keep: bool = False) -> None:
        one = self.chosen
        if one is not None or not keep:
            clear_layout(self._throws)
            show_words(self.result, "")
        self._ask(one)
        self._offer_dice(one)
        show_words(self.needed, translated(needed_words(one, tr)) if one is not None else "")
        if one is not None:
            self.why.setText("\n".join(reason_rows(one)))
        elif not keep:
            self.why.setText("")
        self._show_reasons()

    def _show_reasons(self) -> None:
        """Leave the room for reasons to the actions while there are none."""
        asked = self._ambiguities.rowCount() + self._open.rowCount() + self._throws.count()
        self._room.setVisible(bool(self.why.text() or asked))

    def _offer_dice(self, one: ActionPreview | None) -> None:
        """Offer to do the action: with the program's dice or the players' own, if it needs any."""
        may_do = one is not None and one.possible and not one.ambiguities
        rolls = one is not None and may_do and needs_dice(one)
        same = len(alike(one.action, self.action_list.previews)) if one is not None and rolls else 0
        self.do_button.setText(tr("Roll") if rolls else tr("Do it"))
        self.do_button.setShortcut("Alt+R")  # a new text takes the shortcut away
        self.do_button.setToolTip(
            tr("Let the program roll, and apply the result (Return)") if rolls else tr("Apply the result (Return)")
        )
        self.do_button.setEnabled(may_do)
        self._own.setVisible(rolls)
        self._all.setVisible(same > 1)
        self._all.setText(tr("Roll all {count}", count=same) if same > 1 else "")
        self._all.setShortcut("Alt+A" if same > 1 else "")

    def _ask(self, one: ActionPreview | None) -> None:
        """Show the decisions and answers that the action needs first."""
        for form in (self._ambiguities, self._open):
            while form.rowCount():
                form.removeRow(0)
        if one is None:
            return
        for ambiguity in one.ambiguities:
            tip = tr("Too close to measure: the players decide, and the history records it")
            buttons = [
                button_with_tip(words, tip, partial(self.settled.emit, ambiguity, answer))
                for answer, words in doubt_answers(ambiguity).items()
            ]
            what = doubt_words(ambiguity)
            _add_row(self._ambiguities, tr("TOO CLOSE TO CALL: {what}", what=what), in_row(*buttons))
        for doubt in self.posture_doubts(one):
            self._ask_posture(doubt)
        for question in one.asks:
            field = (
                self._answer_box(one.action, question) if question.answers else self._answer_line(one.action, question)
            )
            field.setAccessibleName(translated(question.text))
            _add_row(self._open, translated(question.text), in_row((field, 1)))

    def _ask_posture(self, doubt: PostureDoubt) -> None:
        """Ask for a posture that the camera is not sure of; until the players answer, it counts as it looks."""
        tip = tr("What you say counts until the soldier falls or gets up")
        buttons = [
            button_with_tip(capitalized(posture_words(one)), tip, partial(self.posture_said.emit, doubt.figure, one))
            for one in (doubt.seen, doubt.other)
        ]
        postures = {"seen": posture_words(doubt.seen), "other": posture_words(doubt.other)}
        asks = tr("NOT SURE: is {soldier} {seen} or {other}?", soldier=display_name(doubt.figure), **postures)
        _add_row(self._ambiguities, asks, in_row(*buttons))

    def _answer_line(self, action: Action, question: Question) -> QLineEdit:
        line = QLineEdit()
        line.setPlaceholderText(_unanswered_words(question))
        line.setToolTip(tr("{what}, then press Return", what=tr(_TYPED.get(question.holds, _NAME))))

        def say() -> None:
            try:
                self.answered.emit(action, question.fact, question.read(line.text()))
            except UserError as refusal:
                self.why.setText(str(refusal))

        line.returnPressed.connect(say)
        return line

    def _answer_box(self, action: Action, question: Question) -> QComboBox:
        box = QComboBox()
        box.addItem(_unanswered_words(question), None)
        names = question.names or tuple(map(_answer_words, question.answers))
        for name, answer in zip(names, question.answers, strict=True):
            box.addItem(name, answer)
        box.activated.connect(lambda _: self.answered.emit(action, question.fact, box.currentData()))
        return box

    def _lay_out(self) -> None:
        self._set_up_words()
        self.action_list.currentItemChanged.connect(lambda *_: self._explain())
        self.action_list.itemActivated.connect(lambda *_: self._request_action())
        tabs = self._tabs
        tabs.addTab(self._now(), tr("Now"))
        tabs.addTab(self._story, tr("History"))
        tabs.setCornerWidget(self.goals_button)
        name_tabs(tabs, tr("Battle"))
        self.absent.hide()
        in_column(self.absent, self.pending_moves, (tabs, 1), on=self, margin=(8, 4, 8, 4))

    def _set_up_words(self) -> None:
        self._below.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.MinimumExpanding)
        self._photo.setAccessibleName(tr("Picture of the soldier"))
        self._photo.setVisible(False)
        for label, name in ((self.needed, tr("Number needed")), (self.result, tr("Result"))):
            set_font(label, bold=True, scale=_BIG_FONT_SCALE)
            label.setWordWrap(True)
            label.setAccessibleName(name)
            label.setVisible(False)
        self.why.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.why.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.why.setMinimumHeight(5 * self.fontMetrics().lineSpacing())
        self._story.setWordWrap(True)
        self._story.setAccessibleName(tr("History"))

    def _create_buttons(self) -> None:
        self.do_button = QPushButton()
        self.do_button.clicked.connect(self._request_action)
        make_primary(self.do_button)
        tip = tr("Let the program make this roll and all others of this kind (Alt+A)")
        self._all = button_with_tip("", tip, lambda: self._request(self.roll_all_wanted))
        tip = tr("Type or click the faces of your own dice, or use electronic dice (Alt+D)")
        self._own = button_with_tip(tr("Own dice…"), tip, lambda: self._request(self.wanted), "Alt+D")
        tip = tr("Change the result of the selected action or the last one, and say why (Ctrl+R)")
        self.overrule_button = button_with_tip(tr("Overrule…"), tip, self.overrule_requested.emit, "Ctrl+R")
        tip = tr("What each side must do to win; you can change it at any time (Ctrl+G)")
        self.goals_button = button_with_tip(tr("Goals…"), tip, self.goals.emit, "Ctrl+G")
        for button in (self.do_button, self._all):
            button.setMinimumHeight(_BUTTON_PX)
        for button in (self.overrule_button, self.goals_button):
            button.setEnabled(False)

    def _now(self) -> QWidget:
        reasons, now = QWidget(), QWidget()
        # The ambiguities are on top, because nothing else is possible before they are decided.
        in_column(self._ambiguities, self._throws, self.why, self._open, on=reasons, margin=0)
        in_column(self._actions, self._dice, on=now, margin=(0, 4, 0, 0))
        self._room = Scrolled(reasons, 5 * self.fontMetrics().lineSpacing())
        who = in_row(self._photo, (self.about, 1))
        last = in_row((self.do_button, 2), (self._own, 1), (self.overrule_button, 1))
        parts = (self.round_bar, who, self.games, (self._below, 1), self.action_list, self.needed, self.result)
        in_column(*parts, self._room, (None, 1), self._all, last, on=self._actions, margin=0)
        return now

    def _request_action(self) -> None:
        if self.do_button.isEnabled():
            self._request(self.wanted if self._own.isHidden() else self.roll_wanted)

    def _request(self, signal: pyqtBoundSignal) -> None:
        if (one := self.chosen) is not None:
            signal.emit(one.action)


def _add_row(form: QFormLayout, words: str, answer: QLayout) -> None:
    """Add a question over its answer, as wide as the panel; a label in the form's own column would wrap early."""
    form.addRow(wrapping_label(words))
    form.addRow(answer)


def _unanswered_words(question: Question) -> str:
    """What holds until the players answer."""
    if question.default is not None:
        return tr("Default")
    return tr("From the camera") if question.measured else tr("Not answered")


def _answer_words(answer: object) -> str:
    return (
        (tr("yes") if answer else tr("no")) if isinstance(answer, bool) else translated(str(answer).replace("_", " "))
    )


class GameList(QWidget):
    """A button for each game; filled when it is first shown, because the titles are read from files.

    Signals:
        chosen: The short name of the game to play.
    """

    chosen = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Games"))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(4, 4, 4, 4)

    def showEvent(self, event: QShowEvent | None) -> None:
        super().showEvent(event)
        for name in () if self._layout.count() else game_names():
            button = QPushButton(self)
            lines = [wrapping_label(words) for words in filter(None, (title_of(name), about_game(name)))]
            set_font(lines[0], bold=True)
            for line in lines:
                line.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)  # a click there is one on the button
            in_column(*lines, on=button, margin=(12, 8, 12, 8))
            button.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Minimum)  # as high as its labels
            described(button, title_of(name), tr("Choose what each soldier plays, then start the battle"))
            button.setAccessibleDescription(about_game(name))
            button.clicked.connect(partial(self._choose, name))
            self._layout.addWidget(button)
            button.show()

    def _choose(self, name: str, _: bool = False) -> None:
        self.chosen.emit(name)
