"""Records: rows of tables and facts of rules."""

import dataclasses

import pytest

from rules.engine.schema import Record


class Acting(Record):
    unit: str | None = None
    routed: bool = False


class Attack(Acting):
    unit: str
    weapon: str = ""


def test_a_field_without_a_default_is_required_even_if_the_class_above_has_one() -> None:
    with pytest.raises(TypeError, match="unit"):
        Attack()  # type: ignore[call-arg]
    attack = Attack(unit="tank")
    assert (attack.unit, attack.routed, attack.weapon) == ("tank", False, "")


def test_a_record_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Acting().routed = True  # type: ignore[misc]
