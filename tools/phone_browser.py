"""A headless Chromium of a phone's size, driven by the DevTools protocol over a pipe; needs nothing but the browser."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any

PHONE_PX = (390, 844)
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    "--remote-debugging-pipe",
)


def installed() -> str | None:
    """The path of an installed Chromium or Chrome; None if there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Phone:
    """A browser with one page.

    Attributes:
        requests: The addresses that the page asked for.
        errors: What its console complained about.
    """

    def __init__(self, program: str, profile: Path) -> None:
        """Start the browser with an empty folder as its profile."""
        (theirs_in, self._to), (self._from, theirs_out) = os.pipe(), os.pipe()

        def place_pipes() -> None:
            """The browser reads commands from descriptor 3 and writes to 4."""
            first, second = os.dup(theirs_in), os.dup(theirs_out)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self._browser = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            close_fds=False,
            preexec_fn=place_pipes,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._received, self._count, self._session = b"", 0, ""
        self.requests: list[str] = []
        self.errors: list[str] = []

    def __enter__(self) -> Phone:
        page = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")
        width, height = PHONE_PX
        size = {"width": width, "height": height, "deviceScaleFactor": 2, "mobile": True}
        self.call("Emulation.setDeviceMetricsOverride", **size)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._session = ""
        self.call("Browser.close")
        self._browser.wait(20)
        os.close(self._to)
        os.close(self._from)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The result of a DevTools command; notes events on the way."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        message |= {"sessionId": self._session} if self._session else {}
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == self._count:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self._note(answer.get("method"), answer.get("params", {}))

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._received:
            read = os.read(self._from, 1 << 16)
            assert read, "the browser has ended"
            self._received += read
        line, _, self._received = self._received.partition(b"\0")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def _note(self, method: str | None, event: dict[str, Any]) -> None:
        if method == "Network.requestWillBeSent":
            self.requests.append(event["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(event["exceptionDetails"]))
        elif method == "Log.entryAdded" and event["entry"]["level"] == "error":
            self.errors.append(event["entry"]["text"])

    def show(self, url: str, theme: str = "light") -> None:
        """Open a page in a light or dark theme; forget what earlier pages asked for and complained about."""
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.errors.clear()
        feature = {"name": "prefers-color-scheme", "value": theme}
        self.call("Emulation.setEmulatedMedia", features=[feature])
        self.call("Page.navigate", url=url)

    def value(self, expression: str) -> Any:
        """The value of a JavaScript expression in the page."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def text(self, part: str) -> str:
        """The text of the element with this id as it is shown; empty if it is hidden or not there yet."""
        element = f"document.getElementById({part!r})"
        return str(self.value(f"{element}?.checkVisibility() ? {element}.innerText : ''"))

    def tap(self, x_px: float, y_px: float) -> None:
        """Tap the screen."""
        point = [{"x": x_px, "y": y_px}]
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=point)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def picture(self) -> bytes:
        """The screen as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot")["data"])
