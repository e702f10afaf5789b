import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtGui import QImage
from PyQt6.QtPdf import QPdfDocument
from PyQt6.QtWidgets import QApplication

from calibration.markers import find_board
from calibration.opencv import cv2
from calibration.print_scale import PrintScale
from rules.games import open_game
from rules.tabletop.errors import UserError
from ui.desktop.paper import preview, unscaled, write_pdf
from ui.paper.marker_sheet import LENS_BOARD, board_sheet, marker_sheet, rod_sheet
from ui.paper.page import PAPERS_MM, Fill, Page, Pattern, Sheet, Text, corrected

DPI = 300
MM_PER_PX = 25.4 / DPI
Picture = npt.NDArray[np.uint8]


@pytest.fixture(autouse=True)
def application() -> object:
    """An offscreen application, shared with other tests; reading a PDF needs one too."""
    return QApplication.instance() or QApplication(["test", "-platform", "offscreen"])


def _rendered(pdf: Path, number: int = 0) -> Picture:
    """(height, width) grey picture of one page at `DPI`."""
    document = QPdfDocument(None)
    assert document.load(str(pdf)) == QPdfDocument.Error.None_
    points = document.pagePointSize(number)
    size = QSize(round(points.width() / 72 * DPI), round(points.height() / 72 * DPI))
    page = document.render(number, size)
    page = page.convertToFormat(QImage.Format.Format_RGBA8888)
    bits = page.constBits()
    rgba = np.frombuffer(bits.asstring(page.sizeInBytes()), np.uint8).reshape(page.height(), page.width(), 4)
    document.close()
    ink = (
        rgba[..., 3].astype(int) * (255 - rgba[..., 0].astype(int)) // 255
    )  # unpainted areas are transparent, not white
    return (255 - ink).astype(np.uint8)


def _edge(profile: npt.NDArray[np.float64], rising: bool) -> float:
    """Where the darkness along a line of pixels crosses one half, in pixels from the line's start."""
    dark = 1 - profile / 255
    return (
        float(np.argmax(dark > 0.5) + 1 - dark[np.argmax(dark > 0.5)])
        if rising
        else len(profile) - _edge(profile[::-1], True)
    )


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.slow
def test_printed_markers_are_found_and_true_to_size(paper: str, tmp_path: Path) -> None:
    pdf = tmp_path / "markers.pdf"
    write_pdf(marker_sheet(paper), pdf)
    aruco = cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)
    found = []
    for number in range(2):
        picture = _rendered(pdf, number)
        corners, ids, _ = cv2.aruco.ArucoDetector(aruco).detectMarkers(picture)
        found += list(ids.ravel())
        for quad in corners:
            (left, top), (right, bottom) = np.reshape(quad, (4, 2)).min(0) - 20, np.reshape(quad, (4, 2)).max(0) + 20
            cut = picture[int(top) : int(bottom), int(left) : int(right)].astype(float)
            # The black frame's first cell, 12.7 mm = 150 px wide, starts 20 px in: row and column 60 run through it.
            for profile in (cut[60], cut[:, 60]):
                side_mm = (_edge(profile, False) - _edge(profile, True)) * MM_PER_PX
                assert side_mm == pytest.approx(76.2, abs=0.05)  # 3 in
    assert sorted(found) == [0, 1, 2, 3]


def test_scales_are_true_on_both_axes(tmp_path: Path) -> None:
    pdf = tmp_path / "markers.pdf"
    sheet = marker_sheet("letter")
    write_pdf(sheet, pdf)
    picture = _rendered(pdf)
    spines = [line for line in sheet.pages[0].lines if line.width_mm == 0.2]
    for spine, axis in zip(spines, (1, 0), strict=True):
        grey = picture if axis else picture.T
        across = spine.start_mm[axis]
        for first, tick, true_mm in ((3.5, 4.0, 100.0), (-3.5, -4.0, 101.6)):
            # Along the outer ends of the long ticks: those of 0 and 100 mm, 0 and 4 in, are the first and the last.
            row = grey[int((across + (first + tick) / 2) / MM_PER_PX)]
            start = int((spine.start_mm[1 - axis] - 1) / MM_PER_PX)
            dark = 1 - row[start : start + int(104 / MM_PER_PX)] / 255
            inked = np.flatnonzero(dark > 0.1)
            length_px = _middle(dark, inked[-1]) - _middle(dark, inked[0])
            assert length_px * MM_PER_PX == pytest.approx(true_mm, abs=0.05)


def _middle(dark: npt.NDArray[np.float64], tick: int) -> float:
    """Centre of the ink around one pixel; a tick is 2 px wide and the next 12 px away."""
    places = np.arange(tick - 5, tick + 6)
    return float(np.average(places, weights=dark[places]))


@pytest.mark.parametrize("dictionary", ["4X4_50", "6X6_250", "ARUCO_ORIGINAL"])
def test_no_cell_is_lost_and_no_seam_is_left(dictionary: str, tmp_path: Path) -> None:
    # Qt's simplified() loses whole cells when their edges agree only nearly, as 44.0 + 12.7 and 56.7 do.
    pdf = tmp_path / "markers.pdf"
    sheet = marker_sheet("letter", 1.1, tuple(range(20)), dictionary)
    write_pdf(sheet, pdf)
    picture = _rendered(pdf)
    for pattern in sheet.pages[0].patterns:
        _assert_drawn(pattern, picture)


def _assert_drawn(pattern: Pattern, picture: Picture) -> None:
    left, top = (round(v / MM_PER_PX) for v in pattern.corner_mm)
    side = round(len(pattern.black) * pattern.cell_mm / MM_PER_PX)
    cell = pattern.cell_mm / MM_PER_PX
    rows, columns = np.mgrid[0:side, 0:side]
    near = [np.abs(v / cell - np.round(v / cell)) * cell < 2 for v in (rows, columns)]
    want = np.array(pattern.black)[
        np.minimum(rows // cell, len(pattern.black) - 1).astype(int),
        np.minimum(columns // cell, len(pattern.black) - 1).astype(int),
    ]
    drawn = picture[top : top + side, left : left + side]
    inner = ~(near[0] | near[1])
    assert np.array_equal(drawn[inner] < 128, want[inner])
    # Black on both sides of an edge: the edge is black too.
    both = cv2.erode(want.astype(np.uint8), np.ones((9, 9)), borderValue=0).astype(bool)
    assert drawn[both].max() == 0


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_printed_board_is_the_one_the_program_knows_and_true_to_size(paper: str, tmp_path: Path) -> None:
    pdf = tmp_path / "board.pdf"
    write_pdf(board_sheet(paper), pdf)
    seen = find_board(_rendered(pdf), LENS_BOARD, "4X4_50")
    assert list(seen.ids) == list(range(35))  # 5 x 7 inner corners
    across, down = np.ptp(seen.corners_px, axis=0) * MM_PER_PX
    assert (across, down) == pytest.approx((4 * 25.4, 6 * 25.4), abs=0.05)


def test_a_corrected_print_compensates_for_the_printers_scale(tmp_path: Path) -> None:
    # A printer that prints 100 mm as 98 across and 103 down turns this page into squares of 25.4 mm again.
    pdf = tmp_path / "board.pdf"
    write_pdf(corrected(board_sheet(), PrintScale(98, 103)), pdf)
    seen = find_board(_rendered(pdf), LENS_BOARD, "4X4_50")
    across, down = np.ptp(seen.corners_px, axis=0) * MM_PER_PX * (0.98, 1.03)
    assert (across, down) == pytest.approx((4 * 25.4, 6 * 25.4), abs=0.05)


@pytest.mark.parametrize("paper", PAPERS_MM)
def test_the_rods_bands_are_3_in_and_its_marks_at_6_and_12_in_have_their_colours(paper: str, tmp_path: Path) -> None:
    sheet = rod_sheet(open_game("plastic_fudge"), paper)
    bars = [fill for fill in sheet.pages[0].fills if fill.size_mm[1] == 4.0]
    assert len(bars) == 12  # 36 in / 3 in (PF-02)
    colours = [fill.colour for fill in bars]
    assert {1, 3} == {n for n, colour in enumerate(colours) if colours.count(colour) == 1}  # the second and the fourth
    pdf = tmp_path / "rod.pdf"
    write_pdf(sheet, pdf)
    picture = _rendered(pdf)
    for low, high in zip(bars[::2], bars[1::2], strict=True):  # of a strip: 3 in and 6 in from its foot
        column = picture[:, round((low.corner_mm[0] + 2) / MM_PER_PX)].astype(float)
        tops = [_bar_top(column, bar) for bar in (low, high)]
        assert tops[0] - tops[1] == pytest.approx(76.2, abs=0.1)


def _bar_top(column: npt.NDArray[np.float64], bar: Fill) -> float:
    """Millimetres from the paper's top to the start of a bar, searched within 2 mm of its nominal place."""
    first = round((bar.corner_mm[1] - 2) / MM_PER_PX)
    cut = column[first : first + round(4 / MM_PER_PX)]
    middle = (cut.max() + cut.min()) / 2
    return float((first + np.argmax(cut < middle)) * MM_PER_PX)


def test_the_print_dialog_is_asked_for_actual_size(tmp_path: Path) -> None:
    pdf = tmp_path / "markers.pdf"
    write_pdf(marker_sheet(), pdf)
    written = pdf.read_bytes()
    table = int(written.split(b"startxref")[-1].split()[0])
    assert written[table:].startswith(b"xref\n")
    number, _, offset = written[table:].split()[1:4]
    catalog = written[int(offset) :].split(b"endobj")[0]
    assert catalog.startswith(number + b" 0 obj")
    assert b"/ViewerPreferences << /PrintScaling /None >>" in catalog  # ISO 32000-1, table 150
    assert b"/Pages" in catalog
    assert f"/Root {int(number)} 0 R".encode() in written[table:]
    assert b"/Prev" in written[table:]
    assert written.startswith(b"%PDF-1.6")  # the first version with this feature


def test_unexpected_pdf_content_is_not_changed() -> None:
    with pytest.raises(ValueError, match="not a PDF with a plain catalog"):
        unscaled(b"%PDF-1.7 and nothing of use")


def test_the_preview_shows_the_page_as_it_is_printed(tmp_path: Path) -> None:
    pdf = tmp_path / "board.pdf"
    sheet = board_sheet("a4")
    write_pdf(sheet, pdf)
    image = preview(sheet, 0, 1240)  # 210 mm at 150 dpi
    assert (image.width(), image.height()) == (1240, 1754)
    bits = image.constBits()
    shown = np.frombuffer(bits.asstring(image.sizeInBytes()), np.uint8).reshape(1754, -1, 4)[:, :1240, 0]
    seen = find_board(np.ascontiguousarray(shown), LENS_BOARD, "4X4_50")
    assert np.ptp(seen.corners_px[:, 0]) / 1240 * 210 == pytest.approx(4 * 25.4, abs=0.2)


def test_text_is_fitted_into_its_width(tmp_path: Path) -> None:
    pdf = tmp_path / "words.pdf"
    write_pdf(Sheet("words", "a4", (Page((), (), (Text("wide words " * 20, (20, 50), 5.0, room_mm=60),)),)), pdf)
    columns = np.flatnonzero((_rendered(pdf) < 200).any(0)) * MM_PER_PX
    assert columns[0] == pytest.approx(20, abs=0.5)
    assert 75 < columns[-1] <= 80.1


def test_a_missing_folder_is_refused_and_an_old_file_survives(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"nowhere.*cannot be written.*choose another folder"):
        write_pdf(marker_sheet(), tmp_path / "nowhere" / "markers.pdf")
    folder = tmp_path / "markers.pdf"
    folder.mkdir()
    with pytest.raises(UserError, match="cannot be written"):
        write_pdf(marker_sheet(), folder)
    assert list(tmp_path.iterdir()) == [folder]


@pytest.mark.slow
def test_needs_neither_display_nor_application(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from ui.paper.marker_sheet import marker_sheet;"
        "from ui.desktop.paper import write_pdf; [write_pdf(marker_sheet(), Path(sys.argv[1])) for _ in range(2)];"
        "from PyQt6.QtWidgets import QApplication; QApplication(['x', '-platform', 'offscreen'])"
    )
    pdf = tmp_path / "bare.pdf"
    done = subprocess.run([sys.executable, "-c", code, pdf], env={}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert pdf.read_bytes().startswith(b"%PDF")
