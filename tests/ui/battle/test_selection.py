"""What is selected in a battle, and what Esc takes away first."""

from ui.battle.selection import Selection


def test_esc_takes_away_the_last_thing_selected() -> None:
    assert Selection("green-1", cross_hair_in=(3, 4)).less() == Selection("green-1")
    assert Selection("green-1", targets=("tan-1", "tan-2")).less() == Selection("green-1")
    assert Selection("green-1", spot_in=(3, 4)).less() == Selection("green-1")
    assert Selection("green-1").less() == Selection()
    assert Selection().less() == Selection()
