"""Everything that can be printed, for the command line and the window."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from calibration.calibration_targets import SHEET_SIDE_IN
from calibration.markers import Board
from calibration.print_scale import TRUE_PRINT, PrintScale
from rules.engine.roster import Army
from rules.games import game_names, open_game, points_check
from rules.tabletop.errors import UserError, user_error
from ui.paper.marker_sheet import EDGE_IDS, EDGE_SIDE_IN, LENS_BOARD, board_sheet, marker_sheet, rod_sheet
from ui.paper.page import Sheet, corrected


class SheetKind(StrEnum):
    """The kinds of sheets."""

    MARKERS = "markers"
    EDGE = "edge"
    BOARD = "board"
    ROD = "rod"
    CARDS = "cards"


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintJob:
    """The sheet that the player wants to print.

    Attributes:
        side_in: Side of the markers; None for the kind's default.
        board: Squares and markers of the board; None for the default board.
        game: Short name of the game whose ready cards are printed.
        army: An army list whose cards are printed instead.
        scale: The printer's measured scale, which the drawing corrects.
    """

    kind: SheetKind = SheetKind.MARKERS
    paper: str = "letter"
    side_in: float | None = None
    dictionary: str = "4X4_50"
    board: Board | None = None
    game: str = ""
    army: Army | None = None
    scale: PrintScale = TRUE_PRINT

    @property
    def file_name(self) -> str:
        """A suggested name for the PDF."""
        return f"sandtable-{self.kind}.pdf"


def sheet_of(job: PrintJob) -> Sheet:
    """The pages of a job.

    Raises:
        UserError: if the sheet is impossible, or the game, the army or one of its cards is unknown.
    """
    return corrected(_drawn(job), job.scale)


def _drawn(job: PrintJob) -> Sheet:
    match job.kind:
        case SheetKind.MARKERS:
            return marker_sheet(job.paper, job.side_in or SHEET_SIDE_IN, dictionary=job.dictionary)
        case SheetKind.EDGE:
            return marker_sheet(job.paper, job.side_in or EDGE_SIDE_IN, EDGE_IDS, job.dictionary)
        case SheetKind.BOARD:
            return board_sheet(job.paper, job.board or LENS_BOARD, job.dictionary)
        case SheetKind.ROD:
            return rod_sheet(open_game("plastic_fudge"), job.paper)
        case SheetKind.CARDS:
            return _army_cards(job.army, job.paper) if job.army else _ready_cards(job.game, job.paper)


def _ready_cards(name: str, paper: str) -> Sheet:
    # Here, because loading all five games is slow.
    from ui.paper.cards import card_sheet, game_cards

    if not name:
        raise user_error("choose a game ({games}) or an army list to print cards of", games=", ".join(game_names()))
    game = open_game(name)
    return card_sheet(game_cards(game), f"{game.title}, ready cards", game, paper)


def _army_cards(army: Army, paper: str) -> Sheet:
    from ui.paper.cards import army_cards, card_sheet

    game = open_game(army.game)
    return card_sheet(army_cards(game, army), f"{army.name}, {game.title}", game, paper, army_words(army))


def army_words(army: Army) -> str:
    """How many figures an army list has, and whether its game allows it."""
    count = f"{len(army.recruits)} figure" + "s" * (len(army.recruits) != 1)
    try:
        checked = points_check(open_game(army.game), army)
    except UserError as error:
        return f"{count}; {error}"
    if checked is None:
        return count
    points = f", {checked.numbers['points']} points" if "points" in checked.numbers else ""
    result = str(checked.numbers.get("reason") or checked.outcome).replace("_", " ")
    reason = checked.reasons[0]
    return f"{count}{points}: {result}" + ("" if result == "legal" else f" ({reason.rule}: {reason.text.rstrip('.')})")
