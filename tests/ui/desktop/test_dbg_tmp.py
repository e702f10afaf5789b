from tests.ui.desktop.test_story_turns import *
from PyQt6.QtCore import Qt
def test_slow_undo(player, tmp_path):
    player.begins("Simple Plastic Wargame", tmp_path / "b.battle")
    player.goes_on("Turn 1, Blue, moving")
    names=[]
    for _ in range(9):
        names.append(player.undo_words())
        player.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        player.looks()
    for n in names: print(n)
    print(player.undo_words())
def test_fm(player, tmp_path):
    player.begins("Fudge", tmp_path / "b.battle", blue_1="Yanni", green_2="Yanni")
    player.key(Qt.Key.Key_Escape); print(repr(player.about), player.window.tool.name, player.deeds)
