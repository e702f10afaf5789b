"""Unit cards: their text, of a game's ready units or of the figures in an army list, and the printed sheet of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, get_args

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.roster import Army, check_army
from rules.engine.ruleset import limit
from rules.engine.schema import Reader, hints
from rules.engine.text import display_name
from rules.games.army_men import tables as am
from rules.games.fudge_miniatures import tables as fm
from rules.games.plastic_fudge import tables as pf
from rules.games.plastic_fudge.fire import reach_in
from rules.games.simple_plastic import tables as sp
from rules.games.simple_plastic_figure import tables as ww
from rules.games.simple_plastic_figure.rows import weapon_of
from rules.tabletop.errors import user_error
from ui.formatting import capitalized, sentence
from ui.paper.page import (
    MARGIN_MM,
    PAPERS_MM,
    Align,
    Line,
    Page,
    PointMm,
    Sheet,
    Text,
    cut_frame,
    header,
    joined,
    slots,
    wrapped,
)
from ui.tools.reach import card_reaches


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitCard:
    """The text of a card, in reading order.

    Attributes:
        title: Name of the unit.
        kind: Sort of unit, in a few words.
        figure: Id of the figure on the table; empty on a ready card.
        values: Names and values, such as ("Moves", "6 in").
        weapons: One line each.
        remarks: Everything else, in sentences.
        boxes: Names and numbers of boxes to tick in play.
        rules: Ids of the rules that apply.
    """

    title: str
    kind: str
    figure: str = ""
    values: tuple[tuple[str, str], ...] = ()
    weapons: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    boxes: tuple[tuple[str, int], ...] = ()
    rules: tuple[str, ...] = ()

    def of(self, figure: str, squad: str = "") -> UnitCard:
        """The card of one figure on the table."""
        return replace(self, figure=figure, kind=f"{self.kind}, squad {squad}" if squad else self.kind)


Face = Callable[[Game[Any], str | None, Any, str], UnitCard]
"""Arguments: the game, the name of its ready card (None for a player's own), the row, and a title for rows without."""


def _words(name: str) -> str:
    """A row's name as it is printed; a word without a vowel is an abbreviation."""
    return " ".join(word if set(word) & set("aeiouy") else word.upper() for word in name.split("_"))


def _flags(row: Any, without: Iterable[str] = ()) -> list[str]:
    """The names of the fields of a row that are True."""
    found = [field.name for field in fields(row) if getattr(row, field.name) is True]
    return [_words(name) for name in found if name not in without]


def _ids(*rules: str) -> tuple[str, ...]:
    return tuple(rule for rule in dict.fromkeys(rules) if rule)


def _sentences(*remarks: str) -> tuple[str, ...]:
    return tuple(sentence(remark) for remark in remarks if remark)


def _plastic_fudge(game: Game[Any], name: str | None, row: pf.Card, _: str) -> UnitCard:
    rules: pf.Rules = game.rules
    levels = rules.tables.levels
    if name is not None:
        points = game.ask("unit_card", {"unit": name}, no_dice).numbers["cost"]
    else:
        points = game.ask("unit_cost", _bought(row), no_dice).numbers["total"]
    weapons = []
    for weapon, reach, attack in zip(row.weapons, row.RL, row.AL, strict=False):
        reaches = f"{reach_in(rules, levels[reach].rating, weapon):g} in"
        weapons.append(
            f"{capitalized(_words(weapon))}: reaches {reaches}, attack {levels[attack].rating:+d} ({attack})"
        )
    if row.radio:
        weapons.append(f"Radio: reaches R{levels[row.RL[0]].range_bands} ({row.RL[0]})")
    lowest = int(limit(rules, "abysmal"))
    special = rules.tables.specials[row.special] if row.special else None
    remarks = [row.note]
    special_rules: tuple[str, ...] = ()
    if special:
        melee = special.hand_to_hand
        remarks += [_SPECIAL[word] for word in _flags(special)]
        remarks += [f"attacked hand to hand: AL {melee.AL:+d}, RL {melee.RL:+d}"]
        special_rules = ("PF-107", special.rule, melee.rule)
    pose = "pose as it stands" if row.posed else row.pose or ""
    moves = f"{levels[row.ML].move_in * rules.option('move_scale'):g} in"
    return UnitCard(
        title=row.title,
        kind=", ".join(filter(None, (row.kind, *_flags(row, ("posed", "ML_by_jeep")), pose))),
        values=(
            (f"{'By jeep' if row.ML_by_jeep else 'Moves'}, {row.ML}", moves),
            (f"Defense, {row.DL}", f"{levels[row.DL].rating:+d}"),
            (f"Training, {row.TL}", f"{levels[row.TL].rating:+d}"),
            ("Points", str(points)),
        ),
        weapons=tuple(weapons),
        remarks=_sentences(*remarks),
        boxes=(("Injuries", levels[row.DL].rating - lowest),),
        rules=_ids(row.rule, *(rules.tables.weapons[weapon].rule for weapon in row.weapons), *special_rules),
    )


_SPECIAL = {
    "spotter": "cannot act without a spotter",
    "fixed": "moves only when attacked hand to hand",
    "explodes": "a Legendary attack on it makes it explode",
}


def _bought(row: pf.Card) -> Mapping[str, Any]:
    """The question to the rules of what a player's own card costs."""
    levels = {"ML": row.ML, "RL": list(row.RL), "AL": list(row.AL), "DL": row.DL, "TL": row.TL}
    return {**levels, "class": row.kind, "commander": row.commander, "special": row.special is not None}


def _army_men(game: Game[Any], _: str | None, row: am.Card, title: str) -> UnitCard:
    rules: am.Rules = game.rules
    kind = rules.tables.kinds[row.kind]
    values = [("Moves", f"{kind.move_in:g} in" if kind.move_in else "stays")]
    values += [("On a road", f"{kind.road_in:g} in")] if kind.road_in else []
    boxes = (("Lives", int(limit(rules, "hero_lives"))),) if row.hero else ()
    abilities = _flags(row)
    rule_text = rules.header.rules.get(row.rule, "") if abilities else ""
    return UnitCard(
        title=row.title or title,
        kind=", ".join((_words(row.kind), *abilities)),
        values=tuple(values),
        weapons=tuple(_army_men_weapon(weapon, rules.tables.weapons[weapon]) for weapon in row.weapons),
        remarks=_sentences(row.note, rule_text),
        boxes=boxes,
        rules=_ids(row.rule, kind.rule, *(rules.tables.weapons[weapon].rule for weapon in row.weapons)),
    )


def _army_men_weapon(name: str, row: am.Weapon) -> str:
    near, far = row.range_min_in, row.range_max_in
    reach = "as far as it sees" if far is None else f"{near:g} to {far:g} in" if near else f"to {far:g} in"
    facts = ["adjacent only" if far == 0 else reach, f"attack {row.attack}"]
    facts += [f"{row.rof} targets"] if row.rof > 1 else []
    sizes = (("blast", row.blast_in), ("flame", row.cone_in), ("glue", row.area_in))
    facts += [f"{what} {size:g} in" for what, size in sizes if size is not None]
    facts += [f"crew {row.crew}"] if row.crew > 1 else []
    facts += _flags(row, ("automatic", "ammunition", "gun", "high_tech", "laid"))
    facts += ["over cover"] if row.indirect is not am.Indirect.NEVER else []
    return f"{capitalized(_words(name))}: {', '.join(facts)}"


def _fudge_miniatures(game: Game[Any], name: str | None, row: fm.Card, title: str) -> UnitCard:
    rules: fm.Rules = game.rules
    level_names = {level.value: word for word, level in rules.tables.ladder.items()}
    stats = [(capitalized(stat), getattr(row, stat)) for stat in ("strength", "dexterity", "guts")]
    factors = [(word.upper(), getattr(row, word)) for word in ("modf", "rodf", "ddf", "hddf")]
    values = [(", ".join(filter(None, (stat, level_names.get(value)))), f"{value:+d}") for stat, value in stats]
    values += [("Movement", f"{row.movement_in} in")]
    values += [(factor, "N/A" if value is None else f"{value:+d}") for factor, value in factors]
    traits = [(trait, "gift") for trait in row.gifts] + [(trait, "fault") for trait in row.faults]
    rows = [(trait, sort, rules.tables.traits[trait]) for trait, sort in traits]
    remarks = [
        f"{_words(trait)} ({sort}): {row_.text}" + (f" {row_.modifier:+d}" if row_.modifier else "")
        for trait, sort, row_ in rows
    ]
    return UnitCard(
        title=name or title,
        kind="character",
        values=tuple(values),
        weapons=tuple(_item_words(item) for item in row.equipment),
        remarks=_sentences(*remarks, row.note),
        boxes=tuple((capitalized(_words(wound)), column.boxes) for wound, column in rules.tables.wounds.items()),
        rules=_ids(row.rule, *(row_.rule for _, _, row_ in rows), "FM-08"),
    )


def _item_words(item: fm.Item) -> str:
    facts = [f"{item.hands}h"] if item.hands else []
    facts += [f"damage {item.damage:+d}"] if item.is_weapon else []
    facts += [f"range {item.range_in:g} in"] if item.range_in is not None else []
    facts += [f"reach {item.reach_in:g} in"] if item.reach_in else []
    facts += [f"{what} {bonus:+d}" for what, bonus in (("armour", item.armour), ("shield", item.shield)) if bonus]
    return f"{item.name}: {', '.join(facts)}" if facts else item.name


def _simple_plastic(game: Game[Any], _: str | None, row: sp.Card, title: str) -> UnitCard:
    rules: sp.Rules = game.rules
    unit = rules.tables.units[row.unit]
    places = [where for where, may in (("in a squad", unit.in_squad), ("alone", unit.alone)) if may]
    values = [
        ("Moves", f"{limit(rules, 'move_in'):g} in"),
        ("Attacks", str(unit.attacks)),
        ("Dice", f"{unit.dice} each" if unit.attacks > 1 else str(unit.dice)),
        ("Kills on", f"{limit(rules, 'base_to_kill'):g}+"),
    ]
    after = "" if unit.attacks_after_moving else "cannot attack in a turn in which it moved"
    modifiers = [f"{row_.modifier:+d} {row_.text}" for row_ in rules.tables.modifiers.values()]
    return UnitCard(
        title=row.title or title,
        kind=_words(row.unit) + (", special" if unit.special else ""),
        values=tuple(values),
        remarks=_sentences("serves " + " or ".join(places), after, "to kill: " + "; ".join(modifiers)),
        rules=_ids(row.rule, unit.rule, *(row_.rule for row_ in rules.tables.modifiers.values())),
    )


def _simple_plastic_figure(game: Game[Any], _: str | None, row: ww.Card, title: str) -> UnitCard:
    rules: ww.Rules = game.rules
    pose, role = rules.tables.poses[row.pose], rules.tables.commanders[row.role]
    weapons = [weapon_of(rules, weapon) for weapon in row.weapons]
    lines = []
    for name, weapon in zip(row.weapons, weapons, strict=True):
        facts = [f"to {weapon.range_in:g} in", f"{weapon.rof} shot{'s' * (weapon.rof > 1)}"]
        facts += [f"blast radius {weapon.blast_radius_in:g} in"] if weapon.blast_radius_in is not None else []
        fire = rules.tables.fires[weapon.fire].modifier
        facts += [f"{_words(weapon.fire)} {fire:+d}"] if fire else []
        lines.append(f"{_nation_words(rules, name, row.nation)}: {', '.join(facts)}")
    bayonet = f"bayonet: {limit(rules, 'bayonet'):+g} hand to hand" if row.bayonet else ""
    reserve = "a reserve: replaces an eliminated figure" if row.reserve else ""
    rule_text = "" if row.role == "figure" else rules.header.rules.get(role.rule, "")
    return UnitCard(
        title=row.title or title,
        kind=_words(row.nation or "any nation") + ("" if row.role == "figure" else f", {_words(row.role)}"),
        values=(
            ("Moves", f"{limit(rules, 'allowance_in'):g} in"),
            (f"Target, {row.pose}", f"{pose.modifier:+d}"),
            ("Out on", f"{limit(rules, 'eliminated_at'):g}+"),
        ),
        weapons=tuple(lines),
        remarks=_sentences(bayonet, reserve, rule_text),
        rules=_ids(row.rule, pose.rule, role.rule, *(weapon.rule for weapon in weapons), "WW-24" * row.bayonet),
    )


def _nation_words(rules: ww.Rules, weapon: str, nation: str | None) -> str:
    """A nation's own name of a weapon."""
    if nation is None:
        return capitalized(_words(weapon))
    own = f"{nation.capitalize()} "
    names = [name.removeprefix(own) for name, row in rules.tables.aliases.items() if row.weapon == weapon]
    names = [name for name in names if f"{own}{name}" in rules.tables.aliases]
    return " or ".join(names) or capitalized(_words(weapon.removesuffix(f"_{nation}").removeprefix(f"{nation}_")))


def _plain(game: Game[Any], _: str | None, row: Any, title: str) -> UnitCard:
    """The card of a game without a face of its own: the numbers of the row, and how far its weapons reach."""
    plain = {key: value for key, value in asdict(row).items() if key not in ("rule", "title", "note")}
    numbers = ((capitalized(_words(key)), f"{value:g}") for key, value in plain.items() if type(value) in (int, float))
    return UnitCard(
        title=row.title or title,
        kind=", ".join(_flags(row)) or game.title,
        values=tuple(numbers),
        weapons=tuple(capitalized(arm.words) for arm in card_reaches(game, plain)),
        remarks=_sentences(getattr(row, "note", "")),
        rules=_ids(row.rule),
    )


FACES: Mapping[str, Face] = {
    "army_men": _army_men,
    "fudge_miniatures": _fudge_miniatures,
    "plastic_fudge": _plastic_fudge,
    "simple_plastic": _simple_plastic,
    "simple_plastic_figure": _simple_plastic_figure,
}
"""Makes a card from a row of each game's data; a game without one has plain cards."""


def game_cards(game: Game[Any]) -> tuple[UnitCard, ...]:
    """A card for every ready unit of a game, in the order of its data."""
    return tuple(_face(game, name, row) for name, row in game.rules.tables.cards.items())


def army_cards(game: Game[Any], army: Army) -> tuple[UnitCard, ...]:
    """A card for each figure of an army list.

    Raises:
        UserError: if the list is for another game, names a card that the game does not have, or a player's own card
            is not valid in the game.
    """
    check_army(game, army)
    cards = []
    for recruit in army.recruits:
        if recruit.card is not None:
            card = _face(game, recruit.card, game.rules.tables.cards[recruit.card])
        else:
            own = dict(recruit.own or {})
            card = _face(game, None, _own_row(game, own, recruit.figure), str(own.get("title", recruit.figure)))
        cards.append(card.of(recruit.figure, recruit.squad))
    return tuple(cards)


def _own_row(game: Game[Any], own: Mapping[str, Any], figure: str) -> Any:
    """A player's own card as a row of the game's data; fields that only rulebook cards have stay blank."""
    tables: Any = type(game.rules.tables)
    kind = get_args(hints(tables)["cards"])[1]
    known = {field.name for field in fields(kind)}
    blank = {"rule": "", "printed_cost": 0, "title": figure}
    given = {key: value for key, value in own.items() if key != "title" or key in known}
    rows = {key: list(value) for key, value in game.rules.plain.items() if isinstance(value, Mapping)}
    return Reader(rows).read(kind, {**{k: v for k, v in blank.items() if k in known}, **given}, f"the card of {figure}")


def _face(game: Game[Any], name: str | None, row: Any, title: str = "") -> UnitCard:
    return FACES.get(game.name, _plain)(game, name, row, title)


CARD_MM = (92.0, 60.0)
_COLUMNS, _ROWS = 2, 4
_INSET_MM = 3.0
_HEAD_MM, _FOOT_MM = 11.5, 7.8
_ADVICE = f"Cut along the grey lines: a card is {CARD_MM[0]:g} x {CARD_MM[1]:g} mm."
_LINE, _SMALL = 4.0, 3.4
"""Type size of the weapons, and of the remarks."""
_LEADING = 1.25
_BOX_MM, _BOX_STEP_MM = 3.2, 3.9
_LETTER_MM = 1.4
_RULE_ROW_MM = 2.5


def card_sheet(cards: Sequence[UnitCard], title: str, game: Game[Any], paper: str = "letter", words: str = "") -> Sheet:
    """Pages of cards, with a title and `words` above them and the game's credit below.

    Raises:
        UserError: if there is no card.
    """
    if not cards:
        raise user_error("{title} has no figures, so there are no cards to print: add a figure first", title=title)
    groups = [cards[start : start + _COLUMNS * _ROWS] for start in range(0, len(cards), _COLUMNS * _ROWS)]
    advice = f"{words}. {_ADVICE}" if words else _ADVICE
    titles = [f"{title}, {number} of {len(groups)}" for number in range(1, len(groups) + 1)]
    pages = [_page(group, (name, advice), game, paper) for group, name in zip(groups, titles, strict=True)]
    return Sheet(title, paper, tuple(pages))


def _page(cards: Sequence[UnitCard], heading: tuple[str, str], game: Game[Any], paper: str) -> Page:
    width, height = PAPERS_MM[paper]
    room_mm = width - 2 * MARGIN_MM
    block_mm = (_COLUMNS * CARD_MM[0], _ROWS * CARD_MM[1])
    spare_mm = height - 2 * MARGIN_MM - _HEAD_MM - _FOOT_MM - block_mm[1]
    corner = ((width - block_mm[0]) / 2, MARGIN_MM + _HEAD_MM + spare_mm / 2)
    places = slots(corner, block_mm, _COLUMNS, _ROWS, CARD_MM)
    pieces = [card_face(card, place) for card, place in zip(cards, places, strict=False)]
    credit = wrapped(game.credit, room_mm, 2.4)
    down = height - MARGIN_MM - 3.0 * (len(credit) - 1) - 0.8
    foot = [Text(row, (MARGIN_MM, down + n * 3.0), 2.4, room_mm=room_mm) for n, row in enumerate(credit)]
    return joined([Page(texts=(*header(heading[0], heading[1:], room_mm), *foot)), *pieces])


def card_face(card: UnitCard, corner_mm: PointMm) -> Page:
    """One card: title and figure, values, weapons, remarks, boxes to tick, and the rules' ids."""
    left, top = corner_mm[0] + _INSET_MM, corner_mm[1]
    room_mm = CARD_MM[0] - 2 * _INSET_MM
    right = left + room_mm
    name_mm = room_mm * (0.62 if card.figure else 1.0)
    texts = [
        Text(card.title, (left, top + 6.5), 5.0, bold=True, room_mm=name_mm),
        Text(display_name(card.figure), (right, top + 6.5), 5.0, Align.RIGHT, bold=True, room_mm=room_mm - name_mm - 2),
        Text(capitalized(card.kind), (left, top + 11.0), 3.2, room_mm=room_mm * 0.58),
        Text("  ".join(card.rules), (right, top + 11.0), _RULE_ROW_MM, Align.RIGHT, room_mm=room_mm * 0.4),
    ]
    texts = [text for text in texts if text.words]
    rule = Line((left, top + 12.8), (right, top + 12.8), 0.3)
    values, down = _values(card, left, top + 13.0, room_mm)
    foot = top + CARD_MM[1] - 2.5
    boxes = _boxes(card, left, foot, room_mm)
    low = foot - (_BOX_MM + 1.5 if card.boxes else 0.0)
    words = _body(card, (left, down), room_mm, low - down)
    return joined([Page((), (*cut_frame(corner_mm, CARD_MM), rule), tuple(texts)), values, words, boxes])


def _values(card: UnitCard, left: float, top: float, room_mm: float) -> tuple[Page, float]:
    """Names above values, at most four in a row, and the y at which they end."""
    columns = min(4, max(1, len(card.values)))
    wide = room_mm / columns
    texts = []
    for number, (name, value) in enumerate(card.values):
        x, y = left + number % columns * wide, top + number // columns * 9.2
        texts += [Text(name, (x, y + 3.2), 2.7, room_mm=wide - 2)]
        texts += [Text(value, (x, y + 7.8), 4.8, bold=True, room_mm=wide - 2)]
    return Page(texts=tuple(texts)), top + -(-len(card.values) // columns) * 9.2 + 1.0


def _body(card: UnitCard, corner_mm: PointMm, room_mm: float, high_mm: float) -> Page:
    """Weapons and remarks, in smaller type if they would not fit."""
    shrink = 1.0
    while True:
        rows = [(row, _LINE * shrink) for words in card.weapons for row in wrapped(words, room_mm, _LINE * shrink)]
        rows += [(row, _SMALL * shrink) for words in card.remarks for row in wrapped(words, room_mm, _SMALL * shrink)]
        if sum(size * _LEADING for _, size in rows) <= high_mm or shrink < 0.3:
            break
        shrink *= 0.96
    texts, down = [], corner_mm[1]
    for words, size in rows:
        down += size * _LEADING
        texts.append(Text(words, (corner_mm[0], down - size * 0.2), size, room_mm=room_mm))
    return Page(texts=tuple(texts))


def _boxes(card: UnitCard, left: float, foot: float, room_mm: float) -> Page:
    """Names, each followed by its boxes, in one row; smaller if they would not fit."""
    texts, lines = [], list[Line]()
    pad_mm = _BOX_STEP_MM - _BOX_MM
    full_mm = sum(len(name) * _LETTER_MM + pad_mm + count * _BOX_STEP_MM for name, count in card.boxes)
    scale = min(1.0, room_mm / full_mm) if card.boxes else 1.0
    gap_mm = min(6.0, max(0.0, room_mm - full_mm) / max(1, len(card.boxes)))
    box_mm, step_mm = _BOX_MM * scale, _BOX_STEP_MM * scale
    x = left
    for name, count in card.boxes:
        name_mm = len(name) * _LETTER_MM * scale
        texts.append(Text(name, (x, foot - 0.7), 2.6 * scale, room_mm=name_mm))
        x += name_mm + pad_mm * scale
        for _ in range(count):
            lines += cut_frame((x, foot - box_mm), (box_mm, box_mm))
            x += step_mm
        x += gap_mm
    return Page(lines=tuple(lines), texts=tuple(text for text in texts if text.words))
