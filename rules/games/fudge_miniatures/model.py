"""Fudge Miniatures Battles: a model in a battle, by its card, its statuses and its place on the table."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations, count
from typing import Any

from rules.engine.action import Action
from rules.engine.effects import at_journal_places
from rules.engine.position import Position
from rules.engine.schema import Reader
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import Attempt, barred, effects_counted, unable
from rules.games.fudge_miniatures.characters import odf_with, stats_now
from rules.games.fudge_miniatures.guts import NO_EFFECT
from rules.games.fudge_miniatures.rolls import RollFacts, trait_tag, traits_of, words
from rules.games.fudge_miniatures.tables import Card, Concern, Item, ItemKind, Rules, state_row, whole
from rules.games.fudge_miniatures.wounds import DEAD, NEAR_DEATH, level
from rules.tabletop.measure import Range
from rules.tabletop.table import Figure, boxes_meet
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison


@dataclass(frozen=True)
class Model:
    """A model in a battle on the measured table."""

    position: Position
    unit: Unit

    @property
    def id(self) -> str:
        """The id of its figure."""
        return self.unit.id

    @property
    def name(self) -> str:
        """Its name for the players."""
        return display_name(self.id)

    @property
    def rules(self) -> Rules:
        """The rules that are played."""
        rules: Rules = self.position.game.rules
        return rules

    @property
    def figure(self) -> Figure:
        """Its figure; raises `UserError` if it is not on the table."""
        return self.position.figure(self.id)

    @property
    def plays(self) -> bool:
        """Whether it is on the table and not eliminated."""
        return not self.unit.out and self.id in self.position.figures

    @property
    def own_turn(self) -> bool:
        """Whether it is the turn of its player."""
        return self.unit.side == self.position.state.side

    @property
    def where_it_stood(self) -> Model:
        """The same with all figures at their places in the journal: rolls before a move count from there."""
        return Model(at_journal_places(self.position), self.unit)

    def other(self, figure: str) -> Model:
        """Another model of the battle."""
        return Model(self.position, self.position.unit(figure))

    @property
    def enemies(self) -> list[Model]:
        """Its enemies on the table that are not eliminated."""
        return [Model(self.position, one) for one in self.position.enemies(self.unit)]

    @property
    def mates(self) -> list[Model]:
        """The other models of its side that are on the table and not eliminated."""
        return [one for one in models(self.position) if one.unit.side == self.unit.side and one.id != self.id]

    def action(self, title: str, name: str, facts: Mapping[str, Any], *at: Model, **more: Any) -> Action:
        """An action of this model at others; `more` are further fields of the action."""
        return Action(title, name, facts, (self.id,), tuple(one.id for one in at), **more)

    def status(self, key: str, absent: Any = None) -> Any:
        """A status, of this turn or lasting."""
        return self.unit.this_turn.get(key, self.unit.statuses.get(key, absent))

    def listed(self, key: str) -> list[Any]:
        """The list that is stored under a status."""
        return list(self.status(key, ()))

    # Its card and its name.

    @cached_property
    def card(self) -> Card:
        """Its datacard, ready or its player's own, whose DDF and HDDF follow from the rest if it leaves them out.

        Raises:
            UserError: if its own is invalid.
        """
        if self.unit.card:
            return self.rules.tables.cards[self.unit.card]
        given = {key: value for key, value in (self.unit.own or {}).items() if key != "title"}
        rows = {name: list(table) for name, table in self.rules.plain.items() if isinstance(table, Mapping)}
        card = Reader(rows).read(Card, {"rule": "FM-08", "ddf": 0, "hddf": 0, **given}, f"the card of {self.id}")
        bare = sum(one.armour + (one.shield if one.usable_when_helpless else 0) for one in card.equipment)
        shields = sum(one.shield for one in card.equipment if not one.usable_when_helpless)
        return replace(card, ddf=given.get("ddf", card.dexterity + bare + shields), hddf=given.get("hddf", bare))

    @cached_property
    def known_as(self) -> str:
        """The name by which gifts and faults apply: with those of its own card and the words of its squad's name."""
        if self.unit.card:
            name, traits = self.unit.card, ""
        else:
            name = str((self.unit.own or {}).get("title") or self.name)
            own = (one for one in (*self.card.gifts, *self.card.faults) if self._affects_itself(one))
            traits = "".join(f" {trait_tag(trait)}" for trait in own)
        kinds = sorted((words(self.unit.squad) | self._followers) & self._words_of_no_card)
        return " ".join(filter(None, (name, *kinds))) + traits

    @property
    def _followers(self) -> frozenset[str]:
        """The words that mark it as a follower: if no model is named one, all of the King's side are."""
        leaders = [row for row in self.rules.tables.traits.values() if row.fact == "king_fallen"]
        followers = frozenset(word for row in leaders for word in row.bearers)
        side = [one for one in self.position.state.units.values() if one.side == self.unit.side]
        named = any(followers & words(f"{one.squad} {(one.own or {}).get('title', '')}") for one in side)
        return followers if self._kings and not named else frozenset()

    @property
    def _kings(self) -> list[Model]:
        """The other leaders of its side."""
        units = self.position.state.units.values()
        side = (Model(self.position, one) for one in units if one.side == self.unit.side and one.id != self.id)
        return [one for one in side if one._has_trait_about("king_fallen")]

    @property
    def _words_of_no_card(self) -> frozenset[str]:
        """Words of gifts and faults that are in the name of no card: peasants and followers."""
        bearers = {word for row in self.rules.tables.traits.values() for word in row.bearers}
        return frozenset(bearers - {word for name in self.rules.tables.cards for word in words(name)})

    def _affects_itself(self, trait: str) -> bool:
        """Whether a gift or fault affects the model whose card lists it, not others as the King's do."""
        return not set(self.rules.tables.traits[trait].bearers) & self._words_of_no_card

    def _has_trait_about(self, fact: str) -> bool:
        """Whether its card has a gift or fault that depends on a fact: whether it is the King."""
        traits = self.rules.tables.traits
        return any(traits[name].fact == fact for name in (*self.card.gifts, *self.card.faults))

    @property
    def terror(self) -> int:
        """How many Terrifying gifts it has; its own card may list one several times."""
        traits = self.rules.tables.traits
        listed = sum(Concern.TERROR is traits[name].concerns for name in self.card.gifts)
        return max(listed, len(traits_of(self.rules, self.known_as, Concern.TERROR)))

    @property
    def flies(self) -> bool:
        """Whether it flies, by its card or as the players say; a failed Guts check throws it to the ground."""
        return bool(self.status(statuses.FLIES, self.card.flies)) and unable(self.rules, self.effect) is None

    # Its wounds and its courage.

    @property
    def track(self) -> dict[str, int]:
        """Its wound track."""
        marked = self.listed(statuses.WOUNDS)
        return {name: marked.count(name) for name in self.rules.tables.wounds}

    @property
    def level(self) -> str:
        """Its wound level; an eliminated model is dead."""
        return DEAD if self.unit.out else level(self.rules, self.track)

    @property
    def lies(self) -> bool:
        """Whether it is Near Death or dead."""
        return self.level in (NEAR_DEATH, DEAD)

    @cached_property
    def stats(self) -> dict[str, Any]:
        """Its stats and factors now."""
        return self.stats_with(self.listed(statuses.WOUNDS))

    def stats_with(self, marked: Sequence[str]) -> dict[str, Any]:
        """Its stats and factors with these boxes marked, without a shield that it does not hold up."""
        found = stats_now(self.rules, self.card, marked)
        idle = [one for name, one in self.arms.items() if one.shield and name not in self.wielded]
        found["ddf"] -= sum(one.shield for one in idle)
        found["hddf"] -= sum(one.shield for one in idle if one.usable_when_helpless)
        return found

    @property
    def failed(self) -> dict[str, dict[str, Any]]:
        """Its open Guts checks."""
        return {name: dict(one) for name, one in self.status(statuses.SHAKEN, {}).items()}

    @property
    def owed(self) -> dict[str, dict[str, Any]]:
        """The Guts checks that it must make at once."""
        return {name: dict(one) for name, one in self.status(statuses.GUTS_OWED, {}).items()}

    @property
    def effects(self) -> list[str]:
        """The effects of its open Guts checks; all of them hold."""
        return list(dict.fromkeys(str(one["effect"]) for one in self.failed.values()))

    @property
    def effect(self) -> str:
        """The worst effect of its open Guts checks."""
        return worst_effect(self.rules, self.failed)

    @property
    def shaken(self) -> dict[str, Any]:
        """The facts of every roll about its open Guts checks."""
        others = [one for one in self.effects if one != self.effect]
        return {"effect": self.effect, **({"other_effects": others} if others else {})}

    @property
    def must_run(self) -> bool:
        """Whether it must run before anything else."""
        return bool(self.status(statuses.MUST_RUN))

    @property
    def state(self) -> str:
        """Its state when it is attacked or wants to act."""
        if self.lies:
            return self.level
        if self.rules.tables.states["normal" if self.effect == NO_EFFECT else self.effect].hddf:
            return self.effect
        return next((said for said in (statuses.HELPLESS, statuses.SURPRISED) if self.status(said)), "normal")

    # What it holds.

    @cached_property
    def arms(self) -> dict[str, Item]:
        """What it holds or attacks with, by name, teeth and claws too; a second thing of one name has its number."""
        found: dict[str, Item] = {}
        for item in self.card.equipment:
            if item.hands or item.is_weapon:
                found[numbered(item.name, found)] = item
        return found

    @property
    def grips(self) -> list[tuple[str, ...]]:
        """Every way to fill its hands so that nothing more fits; first the one in the card's order."""
        hands, names = whole(self.rules, "hands"), [name for name, item in self.arms.items() if item.hands]
        found: list[tuple[str, ...]] = []
        for size in range(len(names), 0, -1):
            for some in combinations(names, size):
                fits = sum(self.arms[name].hands for name in some) <= hands
                if fits and not any(set(some) < set(more) for more in found):
                    found.append(some)
        return sorted(found, key=lambda some: [names.index(name) for name in some])

    @cached_property
    def wielded(self) -> tuple[str, ...]:
        """The equipment in its hands, the players' answer or the first on its card, and weapons that need no hand."""
        said = self.status(statuses.WIELDS)
        bare = (name for name, item in self.arms.items() if not item.hands)
        return tuple(dict.fromkeys((*(next(iter(self.grips), ()) if said is None else said), *bare)))

    def weapons(self, kind: ItemKind) -> dict[str, Item]:
        """The weapons of a kind that it carries, those in hand first."""
        found = {name: item for name, item in self.arms.items() if item.kind is kind}
        return dict(sorted(found.items(), key=lambda one: one[0] not in self.wielded))

    def ready(self, kind: ItemKind) -> dict[str, Item]:
        """The weapons of a kind that attack: those in hand, or all if the players chose so."""
        carried = self.rules.chooses("attacks_with", "carried")
        return {name: item for name, item in self.weapons(kind).items() if carried or name in self.wielded}

    @property
    def strikes_freely_with(self) -> dict[str, Item]:
        """The weapons for a free attack: those that attack, else any, unless the players chose what it wields."""
        chosen = self.status(statuses.WIELDS) is not None
        return self.ready(ItemKind.MELEE) or ({} if chosen else self.weapons(ItemKind.MELEE))

    def odf(self, item: Item) -> int:
        """The ODF of one of its weapons now."""
        return odf_with(self.rules, self.card, item, self.listed(statuses.WOUNDS))

    # Those around it.

    def touches(self, other: Model) -> bool | None:
        """Whether two bases touch, as measured or as the players said; None if it is too close to call."""
        for one, at in ((self, other), (other, self)):
            said = one.status(f"in_base_contact at {at.id}")
            if said is not None:
                return bool(said)
        here, there = self.figure, other.figure
        spare_in = 1.0 + DOUBT_SIGMAS * (here.sigma_in + there.sigma_in)
        return boxes_meet(here.base_in, there.base_in, spare_in) and in_contact(self.position.measure(here, there))

    @property
    def touched(self) -> list[Model]:
        """The enemies at its base, those perhaps there among them; the dead are none."""
        return [enemy for enemy in self.enemies if self.touches(enemy) is not False]

    def may_attack(self, target: Model) -> bool:
        """Whether it may attack another model, as both are."""
        attempt = Attempt(model=self.known_as, attacker_state=self.state, effect=self.effect, target_state=target.state)
        return barred(self.rules, attempt, "melee") is None

    def as_opponent_of(self, leaver: Model) -> dict[str, int]:
        """The facts of an enemy whose base is left; one that may not strike has no weapon in hand."""
        armed = len(self.strikes_freely_with) if self.may_attack(leaver) else 0
        strength, dexterity = self.stats["strength"], self.stats["dexterity"]
        return {"enemy_strength": strength, "enemy_dexterity": dexterity, "enemy_wielded_weapons": armed}

    def would_strike(self, leaver: Model) -> bool:
        """Whether it strikes at an enemy that leaves its base."""
        return bool(self.as_opponent_of(leaver)["enemy_wielded_weapons"])

    @property
    def guards(self) -> list[Model]:
        """The enemies at its base that would strike at it and that it has not tested against in this turn."""
        tested = self.listed(statuses.BROKE_FROM)
        return [one for one in self.touched if one.would_strike(self) and one.id not in tested]

    @property
    def strikers(self) -> dict[str, str]:
        """The enemies that may strike at it as it leaves them or runs, each with the reason."""
        due = self.status(statuses.STRIKES, {})
        return {one.id: due[one.id] for one in self.enemies if one.id in due and one.would_strike(self)}

    def situation(self, concerns: Concern, **known: bool | None) -> dict[str, Any]:
        """The rolling model and the facts for its gifts and faults, without those that no camera sees."""
        depends_on = {row.fact for row in traits_of(self.rules, self.known_as, concerns)}
        if "in_melee_with_king" in depends_on:
            upright = (one for one in self.touched if not one.lies)
            known["in_melee_with_king"] = any(one._has_trait_about("in_melee_with_king") for one in upright)
        if "defending_king" in depends_on and all(king.unit.out for king in self._kings):
            known["defending_king"] = False
        known["king_fallen"] = any(king.lies for king in self._kings)
        names = [field.name for field in fields(RollFacts) if field.name not in ("model", "other_effects")]
        facts = {name: known.get(name) if name in depends_on else False for name in names}
        return {"model": self.known_as, **{name: value for name, value in facts.items() if value is not None}}


def models(position: Position) -> Iterator[Model]:
    """All models on the table that are not eliminated."""
    return (one for unit in position.state.units.values() if (one := Model(position, unit)).plays)


def boxes(track_after: Mapping[str, int]) -> list[str]:
    """A wound track as it is stored: a name for each marked box."""
    return [name for name, count in track_after.items() for _ in range(count)]


def worst_effect(rules: Rules, open_checks: Mapping[str, Mapping[str, Any]]) -> str:
    """The worst effect of failed Guts checks: one that forbids all actions, then one that forbids attacks."""

    def severity(name: str) -> tuple[bool, bool, int]:
        forbids = any(state_row(rules, one).forbids for one in effects_counted(rules, name))
        return unable(rules, name) is not None, forbids, rules.tables.guts_effects[name].margin

    return max((str(one["effect"]) for one in open_checks.values()), key=severity, default=NO_EFFECT)


def numbered(name: str, taken: Collection[str]) -> str:
    """A name that is not taken yet: the second of a name has its number."""
    names = (name if n == 1 else f"{name} ({n})" for n in count(1))
    return next(one for one in names if one not in taken)


def in_contact(measured: Range) -> bool | None:
    """Whether bases so far apart touch; None if it is too close to call."""
    return {Comparison.IN: True, Comparison.OUT: False}.get(measured.contact())
