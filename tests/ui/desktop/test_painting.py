"""An error while painting does not crash the program."""

import numpy as np
import pytest
from PyQt6.QtGui import QImage

from tests.ui.slot_errors import ERRORS
from tests.ui.windows import Owned, let_qt_work
from ui.desktop.app import ErrorReporter
from ui.desktop.picture.image import painting, to_qimage
from ui.desktop.picture.painter import annotated
from ui.desktop.picture.view import PictureView

BLACK = np.zeros((54, 96, 3), np.uint8)


def test_a_painter_ends_when_painting_fails() -> None:
    image = QImage(8, 8, QImage.Format.Format_RGB32)
    with pytest.raises(ZeroDivisionError), painting(image) as painter:
        raise ZeroDivisionError
    assert not painter.isActive()
    assert not image.paintingActive()


@pytest.mark.usefixtures("qt")
def test_a_shape_that_cannot_be_painted_raises_an_error() -> None:
    for _ in range(3):
        with pytest.raises(AttributeError, match="keep_clear"):
            annotated(BLACK, [object()])  # type: ignore[list-item]


def test_an_error_while_painting_is_shown_and_the_program_continues(
    owned: Owned[PictureView], capsys: pytest.CaptureFixture[str]
) -> None:
    view = owned(PictureView())
    view.show()
    last = ErrorReporter(view)
    last.install()
    try:
        for width in range(300, 303):
            view.show_shapes([object()])  # type: ignore[list-item]
            view.show_picture(to_qimage(BLACK))
            view.resize(width, 200)
            view.grab().toImage()
        let_qt_work(lambda: last.box and last.box.isVisible())
        assert "keep_clear" in last.box.detailedText()
    finally:
        last.remove()
    assert capsys.readouterr().err.count("AttributeError") >= 3


def test_a_widget_whose_painting_fails_is_painted_again(owned: Owned[PictureView]) -> None:
    view = owned(PictureView())
    view.resize(300, 200)
    view.show_picture(to_qimage(BLACK))
    view.show()
    for width in range(300, 303):
        view.show_shapes([object()])  # type: ignore[list-item]
        view.resize(width, 200)
        view.grab().toImage()
        with pytest.raises(AttributeError, match="keep_clear"):
            let_qt_work(lambda: False)
    view.show_shapes([])
    view.repaint()
    assert not ERRORS
    assert not view.paintingActive()
