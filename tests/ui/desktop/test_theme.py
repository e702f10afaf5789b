"""The dark and the light theme, and the icons that follow them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QColor, QFontInfo, QFontMetricsF, QIcon, QPalette
from PyQt6.QtWidgets import QApplication, QComboBox, QProgressBar, QPushButton

from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import Owned, settings_in
from ui.desktop.action import FOLDER, icon
from ui.desktop.theme import Theme, apply_theme, make_primary, theme_palette
from ui.desktop.window import Window
from ui.theme import Colour, contrast

ROLE = QPalette.ColorRole


@pytest.fixture
def themed(qt: QApplication) -> Iterator[QApplication]:
    """The application, which is dark again after the test."""
    yield qt
    apply_theme(qt, Theme.DARK)


def rgba(colour: QColor) -> Colour:
    red, green, blue, opacity = colour.getRgb()
    assert red is not None
    assert green is not None
    assert blue is not None
    assert opacity is not None
    return red, green, blue, opacity


@pytest.mark.parametrize("theme", list(Theme))
def test_the_chosen_entry_of_an_open_combo_box_is_highlighted(
    themed: QApplication, owned: Owned[QComboBox], theme: Theme
) -> None:
    """Qt's menu style wrote it in the colour of highlighted text without the highlight: white on white if light."""
    apply_theme(themed, theme)
    box = owned(QComboBox())
    box.addItems(["first", "second"])
    box.show()
    box.showPopup()
    themed.processEvents()
    view = box.view()
    assert view is not None
    row = view.visualRect(view.model().index(0, 0))
    right_of_text = view.viewport().grab().toImage().pixelColor(view.viewport().width() - 4, row.center().y())
    assert contrast(rgba(right_of_text), rgba(view.palette().color(ROLE.HighlightedText))) >= 4.5
    box.hidePopup()


@pytest.mark.parametrize("theme", list(Theme))
def test_the_percentage_of_a_progress_bar_is_legible_over_both_its_parts(
    themed: QApplication, owned: Owned[QProgressBar], theme: Theme
) -> None:
    apply_theme(themed, theme)
    bar = owned(QProgressBar())
    bar.setValue(90)
    bar.resize(300, 24)
    bar.show()
    shown = bar.grab().toImage()
    done, left = (shown.pixelColor(x, 12) for x in (40, 290))
    assert done != left
    for ground in (done, left):
        assert contrast(rgba(bar.palette().color(ROLE.Text)), rgba(ground)) >= 4.5


@pytest.mark.parametrize("bold", [False, True])
def test_the_programs_own_typeface_shows_all_digits_equally_wide(themed: QApplication, *, bold: bool) -> None:
    font = themed.font()
    font.setBold(bold)
    assert QFontInfo(font).family() == "Inter"
    widths_px = {round(QFontMetricsF(font).horizontalAdvance(digit), 1) for digit in "0123456789"}
    assert len(widths_px) == 1, "a distance that changes does not jump"


@pytest.mark.parametrize("theme", Theme)
def test_text_is_legible(theme: Theme) -> None:
    # WCAG 2.2, 1.4.3: 4.5 to 1 for words.
    palette = theme_palette(theme)
    for words, ground in (
        (ROLE.WindowText, ROLE.Window),
        (ROLE.Text, ROLE.Base),
        (ROLE.ButtonText, ROLE.Button),
        (ROLE.PlaceholderText, ROLE.Base),
        (ROLE.PlaceholderText, ROLE.Window),
        (ROLE.HighlightedText, ROLE.Highlight),
        (ROLE.Link, ROLE.Base),
    ):
        assert contrast(rgba(palette.color(words)), rgba(palette.color(ground))) > 4.5, (words, ground)
    disabled = palette.color(QPalette.ColorGroup.Disabled, ROLE.Text)
    assert disabled != palette.color(ROLE.Text)


def inked(shown: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> QColor:
    """The colour of the most opaque pixel of an icon."""
    image = shown.pixmap(QSize(24, 24), mode).toImage()
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    best = max(pixels, key=lambda pixel: pixel.alpha())
    assert best.alpha() > 200
    return best


def near(one: QColor, other: QColor) -> bool:
    return all(abs(a - b) < 8 for a, b in zip(one.getRgb()[:3], other.getRgb()[:3], strict=True))


@pytest.mark.parametrize("name", sorted(path.stem for path in FOLDER.glob("*.svg")))
@pytest.mark.usefixtures("qt")
def test_every_icon_can_be_drawn(name: str) -> None:
    assert 'viewBox="0 0 24 24"' in (FOLDER / f"{name}.svg").read_text()
    inked(icon(name))


def test_an_icon_follows_the_theme(themed: QApplication) -> None:
    shown = icon("measure")
    for theme in (Theme.LIGHT, Theme.DARK):
        apply_theme(themed, theme)
        palette = theme_palette(theme)
        assert near(inked(shown), palette.color(ROLE.ButtonText))
        grey = palette.color(QPalette.ColorGroup.Disabled, ROLE.ButtonText)
        assert near(inked(shown, QIcon.Mode.Disabled), grey)
    assert near(inked(QIcon(shown)), theme_palette(Theme.DARK).color(ROLE.ButtonText))


def test_the_theme_is_chosen_in_the_menu_and_remembered(themed: QApplication, window: Window, tmp_path: Path) -> None:
    themes = window.appearance.themes
    assert themes[Theme.DARK].isChecked()
    large_px = window.panel.headline.fontInfo().pixelSize()
    themes[Theme.LIGHT].trigger()
    assert not themes[Theme.DARK].isChecked()
    assert window.palette().color(ROLE.Window) == theme_palette(Theme.LIGHT).color(ROLE.Window)
    assert settings_in(tmp_path).theme is Theme.LIGHT
    assert window.panel.headline.fontInfo().pixelSize() == large_px, "no font is lost"
    themes[Theme.DARK].trigger()
    assert settings_in(tmp_path).theme is Theme.DARK


def test_the_turn_bar_keeps_its_colour(themed: QApplication, window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    bar = window.battle.turn_bar
    before = bar.grab().toImage().pixelColor(2, 2)
    window.appearance.themes[Theme.LIGHT].trigger()
    assert bar.grab().toImage().pixelColor(2, 2) == before, "the words would be white on white"


def test_a_stored_theme_that_does_not_exist_is_dark(tmp_path: Path) -> None:
    settings = settings_in(tmp_path)
    settings.settings.setValue("theme", "pink")
    assert settings.theme is Theme.DARK


def test_the_primary_button_stands_out(themed: QApplication, owned: Owned[QPushButton]) -> None:
    plain, primary = owned(QPushButton("Cancel")), owned(QPushButton("Roll"))
    make_primary(primary)
    colours = []
    for button in (plain, primary):
        button.setFixedSize(100, 40)
        button.show()
        colours.append(button.grab().toImage().pixelColor(8, 20))
    assert colours[1] == theme_palette(Theme.DARK).color(ROLE.Highlight) != colours[0]
