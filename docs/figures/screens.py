"""The pictures of the report and of the review: those of the demonstration, taken by a browser."""

import io
import runpy
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir, contextmanager
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

HERE = Path(__file__).parent
DEMO = HERE.parents[1] / "examples" / "planted_digits.py"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
REPORT = {"width": 1280, "height": 1800}
REVIEW = {"width": 1100, "height": 700}
SMALLER = (825, 525)
RING = "button => { button.style.outline = '3px solid #b32d1b'; }"


def draw() -> None:
    """Run the demonstration in a folder that goes away, and save both pictures."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("report.png and review.gif need Chromium: make browser installs it.")
    with tempfile.TemporaryDirectory() as folder, chdir(folder), sync_playwright() as play:
        truth = runpy.run_path(str(DEMO))["y"]
        chromium = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport=REPORT)
        page.goto(Path("demo.audit/report.html").resolve().as_uri())
        page.wait_for_selector("[data-ready=yes]")
        page.screenshot(path=HERE / "report.png")
        with reviewing("demo.audit") as address:
            page = chromium.new_page(viewport=REVIEW)
            page.goto(address)
            frames = play_keys(page, truth)
        chromium.close()
    shrink(HERE / "report.png")
    pictures, milliseconds = zip(*frames, strict=True)
    pictures[0].save(
        HERE / "review.gif",
        save_all=True,
        append_images=pictures[1:],
        duration=list(milliseconds),
        loop=0,
        optimize=True,
    )


@contextmanager
def reviewing(audit: str):
    """The address of a review that is served meanwhile."""
    command = [sys.executable, "-u", "-m", "errata.cli", "review", audit]
    command += ["--no-browser", "--reviewer", "anna"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            yield next(word for line in server.stdout for word in line.split() if "http" in word)
        finally:
            server.terminate()


def play_keys(page, truth):
    """Six decisions that are right, an undo and a redo: pictures, and how long each is shown."""
    page.wait_for_selector("html[data-ready=yes]")
    frames = [(picture(page), 1200)]
    for _ in range(6):
        row = int(page.locator("h1").inner_text().split()[1].replace(",", ""))
        suggested = page.locator(".suggested dd").inner_text()
        press(page, "a" if suggested == str(truth[row]) else "k", frames, 750)
    press(page, "u", frames, 1100)
    press(page, "Shift+U", frames, 1000)
    return frames


def press(page, key, frames, milliseconds):
    """Ring the button of a key, press it, and take a picture before and after."""
    before = page.locator("body").inner_text()
    button = page.locator(f'button[data-keys~="{key}"]')
    if button.count():
        button.first.evaluate(RING)
        frames.append((picture(page), 350))
    page.keyboard.press(key)
    page.wait_for_function("before => document.body.innerText !== before", arg=before)
    page.wait_for_load_state("networkidle")
    frames.append((picture(page), milliseconds))


def picture(page):
    """What the page shows, smaller and with few colours."""
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    return shown.resize(SMALLER, Image.Resampling.LANCZOS).quantize(128)


def shrink(path: Path) -> None:
    """Keep a picture with 128 colours, which nobody sees and which takes a third of the bytes."""
    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)
