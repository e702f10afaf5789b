"""The tables of Fudge Miniatures Battles: the columns of each row."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, TypeAlias

from rules.engine.common import Status
from rules.engine.ruleset import Cited, Limit, Ruleset, limit
from rules.engine.schema import Count, Inches, Record, Row, Within
from rules.engine.verdict import RuleRefusal
from rules.tabletop.table import TerrainKind

CardName = Annotated[str, Row("cards", "unknown_card")]
TraitName = Annotated[str, Row("traits", "unknown_trait")]
EffectName = Annotated[str, Row("guts_effects", "unknown_effect")]
TriggerName = Annotated[str, Row("guts_triggers", "unknown_trigger")]
WoundName = Annotated[str, Row("wounds", "unknown_wound_level")]
Hands = Annotated[int, Within(low=1, high=2, code="bad_hands")]


class Stat(StrEnum):
    """A stat that a weapon may add."""

    STRENGTH = "strength"
    DEXTERITY = "dexterity"


class ItemKind(StrEnum):
    """The use of a piece of equipment."""

    MELEE = "melee"
    RANGED = "ranged"
    SHIELD = "shield"
    WORN = "worn"


class Concern(StrEnum):
    """The values that a gift or fault changes."""

    GUTS = "guts"
    ODF = "odf"
    FREE_ATTACK = "free_attack"
    HONOUR = "honour"
    TERROR = "terror"
    FLEES_WOUNDED = "flees_wounded"
    FLEES_FAILED = "flees_failed"


class Level(Cited):
    """A trait level in numbers."""

    value: int


class StatRow(Cited):
    """Where a standard human's stat starts; `inches` for Movement, which is no trait level."""

    start: int
    inches: bool = False


class Step(Cited):
    """A step of a player's turn; in it models move, act, or the wounds that wait are marked."""

    number: Count
    text: str
    moves: bool = False
    acts: bool = False
    marks: bool = False


class Activity(Cited):
    """Something that a model may do.

    Attributes:
        action: One of the actions of step 2.
        attack: An attack.
        touches: Needs what it is done to within reach.
        kinds: Pieces on the measured table that it may be done to.
        also: Other names for it.
    """

    action: bool = True
    attack: bool = False
    touches: bool = False
    kinds: tuple[TerrainKind, ...] = ()
    also: tuple[str, ...] = ()


class Ground(Cited):
    """The cost of an inch of terrain.

    Attributes:
        factor: Inches of Movement that it takes.
        whole: A part of an inch counts as one.
        flies: Nothing on the ground matters.
        kinds: Terrain pieces that are so; those of "descend" stand upright and are climbed first.
    """

    factor: Annotated[float, Within(low=0, code="bad_factor")]
    whole: bool = False
    flies: bool = False
    kinds: tuple[TerrainKind, ...] = ()


class Column(Cited):
    """A column of the wound track: its boxes, the wounds that go there, and what it takes off the stats."""

    boxes: Annotated[int, Within(low=1, code="bad_boxes")]
    least: Count
    most: Count | None = None
    penalty: int = 0


class State(Cited):
    """How a model is.

    Attributes:
        hddf: Attacks on it are against its HDDF.
        hit_by_itself: Attacks on it hit whatever is rolled.
        attackable: It can be attacked at all.
        defenceless: A chivalrous man does not strike it.
        lies: How its model lies or stands.
        may_act: It can do anything.
        forbids: What it may not do.
        also: Other names for it.
    """

    hddf: bool = False
    hit_by_itself: bool = False
    attackable: bool = True
    defenceless: bool = False
    lies: str = "standing"
    may_act: bool = True
    forbids: tuple[Annotated[str, Row("activities", "unknown_activity")], ...] = ()
    also: tuple[str, ...] = ()


class Trigger(Cited):
    """What calls for a Guts check, and its target; `each_gift` is added for each Terrifying gift.

    Attributes:
        of_wound: A wound calls for it.
        text: Its words, where its name says it badly.
    """

    target: int
    text: str = ""
    each_gift: int = 0
    of_wound: bool = False


class Effect(Cited):
    """What a Guts check failed by `margin` does; its name is also that of the state it leads to."""

    margin: Count
    roll_modifier: int = 0


class Occasion(Cited):
    """An occasion for an attack: `free` ones are out of the steps, others are marked in the step named."""

    free: bool = False
    marked: str = "at_once"


class Goal(Cited):
    """A scenario's task.

    Attributes:
        counted: It is done when no enemy is left.
        turns: It is done when it was kept up for the turns agreed, one after another.
        kinds: Terrain pieces that are held where a model stands on one and no enemy does.
    """

    text: str
    counted: bool = False
    turns: bool = False
    discouraged: bool = False
    kinds: tuple[TerrainKind, ...] = ()


class Trait(Cited):
    """A gift or a fault.

    Attributes:
        concerns: What it has its effect on.
        bearers: Words in the names of the models that it affects, as well as those whose card lists it.
        fact: What must be so, a field of `RollFacts`; None always.
        modifier: What is added.
        said: Sayings that tell of the fact, all words of one of them needed.
    """

    text: str
    concerns: Concern
    bearers: tuple[str, ...] = ()
    fact: str | None = None
    modifier: int = 0
    said: tuple[str, ...] = ()


class Item(Record):
    """A piece of equipment.

    Attributes:
        hands: Hands that hold it; 0 for what is worn.
        damage: Of a weapon.
        stat: What a melee weapon adds to its damage (FM-12), None if it does not say.
        adds_stat: What a ranged weapon adds, where its text says so (FM-13).
        range_in: Of a ranged weapon.
        armour, shield: What they add to the defence.
        reach_in: Of a melee weapon that needs no base contact (FM-30).
        fired_in_contact: A ranged weapon that may be fired at arm's length (FM-34).
        usable_when_helpless: A shield that counts for HDDF.
    """

    name: str
    kind: ItemKind = ItemKind.WORN
    hands: Annotated[int, Within(low=0, high=2, code="bad_hands")] = 0
    damage: int = 0
    stat: Stat | None = None
    adds_stat: Stat | None = None
    range_in: Annotated[float | None, Within(low=0.1, code="bad_range")] = None
    armour: int = 0
    shield: int = 0
    reach_in: Inches = 0
    fired_in_contact: bool = False
    usable_when_helpless: bool = False

    @property
    def is_weapon(self) -> bool:
        """Whether it attacks."""
        return self.kind in (ItemKind.MELEE, ItemKind.RANGED)


class Card(Cited):
    """A character's datacard as printed; MODF or RODF is missing where there is no such weapon.

    Attributes:
        flies: It flies whenever it moves (FM-27, FM-43); none of the printed ones does.
    """

    strength: int
    dexterity: int
    guts: int
    movement_in: Count
    ddf: int
    hddf: int
    modf: int | None = None
    rodf: int | None = None
    equipment: tuple[Item, ...] = ()
    gifts: tuple[TraitName, ...] = ()
    faults: tuple[TraitName, ...] = ()
    flies: bool = False
    note: str = ""


class Spellbound(StrEnum):
    """The states of a target that is attacked at its HDDF."""

    HELPLESS = "helpless"
    SURPRISED = "surprised"


class Spell(Cited):
    """A spell that the players registered.

    Attributes:
        odf: It is an attack with this ODF; without one its text is played by hand, except for what follows.
        becomes: The state that its target is in for the rest of the turn; it may still move and act (FM-28).
        calls_for: The Guts check that its target must make.
    """

    text: str
    odf: int | None = None
    range_in: Annotated[float | None, Within(low=0.1, code="bad_range")] = None
    becomes: Spellbound | None = None
    calls_for: TriggerName | None = None


class Tables(Record):
    """All tables of the game, by the name of the row."""

    ladder: Mapping[str, Level]
    stats: Mapping[str, StatRow]
    limits: Mapping[str, Limit]
    phases: Mapping[str, Step]
    activities: Mapping[str, Activity]
    terrain: Mapping[str, Ground]
    wounds: Mapping[str, Column]
    states: Mapping[str, State]
    guts_triggers: Mapping[str, Trigger]
    guts_effects: Mapping[str, Effect]
    attacks: Mapping[str, Occasion]
    goals: Mapping[str, Goal]
    traits: Mapping[str, Trait]
    cards: Mapping[str, Card]
    spells: Mapping[str, Spell]
    statuses: Mapping[str, Status]


Rules: TypeAlias = Ruleset[Tables]


def whole(rules: Rules, name: str) -> int:
    """A single number that counts something."""
    return int(limit(rules, name))


def named(table: Mapping[str, Activity | State], word: str, code: str) -> str:
    """The row that goes by a word, its own name or another.

    Raises:
        RuleRefusal: `code` if there is none.
    """
    found = word if word in table else next((name for name, row in table.items() if word in row.also), None)
    if found is None:
        raise RuleRefusal(code, f"{word!r} is unknown: choose one of {', '.join(table)}")
    return found


def state_row(rules: Rules, name: str) -> State:
    """A state by any of its names."""
    return rules.tables.states[named(rules.tables.states, name, "unknown_state")]
