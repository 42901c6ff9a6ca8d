"""How fast the review page is: the first card of a million rows, a decision, odd cards.

    python benchmarks/review.py [--rows 1000000] [--decisions 200]

Prints what was measured beside what is asked for. Seconds depend on the machine and on what else it
does; the memory and the ratio of late to early decisions do not.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np
import pyarrow as arrow
from pyarrow import parquet
from runs import print_header

from errata.audit_folder import draw_piles, gather_components
from errata.audit_folder._files import VERSION
from errata.review import Decisions, Event, decisions_path

SERVE = """
import json, sys
from errata.review import serve
try:
    serve(sys.argv[1], reviewer="bench", browser=False, images=sys.argv[2],
          ready=lambda at: print(at, flush=True))
except KeyboardInterrupt:
    print(json.dumps(sorted({"sklearn", "pandas", "scipy.stats"} & set(sys.modules))))
"""


def write_audit(folder, rows, flagged, classes, value, picture=None):
    """The folder of an audit that never was: random labels, the first rows flagged."""
    folder.mkdir()
    random = np.random.default_rng(0)
    codes = random.integers(0, len(classes), rows)
    p_wrong = np.full(rows, 0.01)
    p_wrong[:flagged] = np.linspace(0.99, 0.3, flagged)
    is_flagged = np.arange(rows) < flagged
    p = np.stack([0 * p_wrong, p_wrong, 0.9 * p_wrong, p_wrong**2], axis=1).astype(np.float32)
    kinds = ["none", "uniform", "pattern", "boundary"]
    components = gather_components(kinds, np.full(4, 0.25), p, is_flagged, p_wrong.sum())
    piles = draw_piles(is_flagged, random)
    numbers = {
        "version": VERSION,
        "about": {"title": "million.csv", "label": "label", "features": 8},
        "fingerprint": "bench",
        "components": components.as_dict(),
        "piles": piles,
        "examples": [],
    }
    (folder / "audit.json").write_text(json.dumps(numbers))
    names = np.array(classes)
    table = {
        "labels": names[codes],
        "suggested": names[(codes + is_flagged) % len(names)],
        "p_wrong": p_wrong,
        "suspicion": p_wrong,
        "flagged": is_flagged,
        "key": [f"{row:016x}.0" for row in range(rows)],
    }
    parquet.write_table(arrow.table(table), folder / "rows.parquet")
    parts = {f"component_{h}": p[:, h] for h in range(4)}
    parquet.write_table(arrow.table(parts), folder / "components.parquet")
    shown = [*range(flagged)]
    drawn = dict.fromkeys([*(row for row, *_ in piles["calibration"]), *piles["spot"]])
    shown += [row for row in drawn if row >= flagged]
    cards = [json.dumps(card(row, codes, classes, p_wrong, value, picture)) for row in shown]
    parquet.write_table(
        arrow.table({"row": shown, "card": cards}),
        folder / "cards.parquet",
        row_group_size=200,
        compression="zstd",
    )
    return folder


def card(row, codes, classes, p_wrong, value, picture):
    label, other = classes[codes[row]], classes[(codes[row] + 1) % len(classes)]
    values = {f"column {j}": f"{row * 7 + j}" for j in range(8)} | {"remark": value(row)}
    near = [
        {"row": j, "label": other, "distance": 0.1 * j, "image": None}
        | {"values": {f"column {i}": f"{j + i}" for i in range(8)}}
        for j in range(1, 6)
    ]
    return {
        **{"row": row, "id": None, "key": f"{row:016x}.0", "label": label, "suggested": other},
        **{"p_wrong": p_wrong[row], "classes": [[c, 0.1] for c in classes[:10]]},
        **{"reasons": [f"All 7 models predict {other}."], "values": values},
        **{"speaking": ["column 1"], "similar": near, "image": None, "picture": picture},
    }


class Served:
    """A server, and a client that has been let in."""

    def __init__(self, folder):
        self.started = time.perf_counter()
        command = [sys.executable, "-c", SERVE, str(folder), str(folder.parent)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        origin, _, token = self.process.stdout.readline().strip().partition("/?token=")
        self.client = httpx.Client(
            base_url=origin,
            headers={"origin": origin, "sec-fetch-site": "same-origin", "errata-part": "stage"},
            cookies={f"errata_{origin.rpartition(':')[2]}": token},
            verify=False,
            timeout=60,
        )

    def get(self, path):
        begun = time.perf_counter()
        answer = self.client.get(path)
        answer.raise_for_status()
        return time.perf_counter() - begun, answer

    def used(self):
        """Processor seconds and largest memory in MB, as Linux tells."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / 100, int(peak.split()[1]) / 1024

    def decide(self, rows, mark):
        """Seconds of each decision."""
        times = []
        for row in rows:
            given = {
                "row": row,
                "kind": "label",
                "key": f"{mark} {row}",
                "filter": "queue=suspects",
            }
            begun = time.perf_counter()
            self.client.post("/decide", data=given).raise_for_status()
            times.append(time.perf_counter() - begun)
        return times

    def stop(self):
        """End it as Ctrl-C does; the heavy modules that it had imported."""
        self.client.close()
        self.process.send_signal(signal.SIGINT)
        out, _ = self.process.communicate(timeout=30)
        return json.loads(out.splitlines()[-1])


@contextmanager
def served(folder):
    server = Served(folder)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def tell(what, measured, asked):
    print(f"{what:46}  {measured:>28}  {asked}")


def million(folder, rows, decisions):
    audit = write_audit(
        folder / "million.audit", rows, min(rows // 20, 50_000), list("abcdef"), str
    )
    with served(audit) as server:
        server.get("/")
        seconds = time.perf_counter() - server.started
        cpu, memory = server.used()
        tell(
            f"first card of {rows:,} rows",
            f"{seconds:.2f} s, {cpu:.2f} cpu s",
            "< 1 s, <= 0.8 cpu s",
        )
        tell("memory then", f"{memory:.0f} MB", "< 250 MB")
        early = told(server, range(decisions), "a decision, with its next card")
        heavy = server.stop()
        tell("of sklearn, pandas, scipy.stats imported", ", ".join(heavy) or "none", "none")
    fill(decisions_path(audit))
    with served(audit) as server:
        server.get("/")
        seconds = time.perf_counter() - server.started
        tell("first card with 50,000 events", f"{seconds:.2f} s", "< 1 s")
        late = told(server, range(1000, 1000 + decisions), "a decision after 50,000 events")
        tell("late to early, processor time", f"{late / early:.2f}", "<= 1.2")


def told(server, rows, what):
    """Tell how long decisions take; processor seconds of one, as the machine may be busy."""
    before = server.used()[0]
    median, p95 = np.quantile(server.decide(rows, what), [0.5, 0.95]) * 1000
    cpu = (server.used()[0] - before) / len(rows)
    tell(what, f"{median:.0f} ms, {p95:.0f} p95, {1000 * cpu:.0f} cpu", "p95 < 50 ms")
    return cpu


def fill(path):
    """Fifty thousand events of another reviewer, on rows further down."""
    seen = {"label": '"a"', "suggested": '"b"', "p_wrong": 0.5, "audit": "bench"}
    with Decisions(path) as decisions:
        decisions.record_all(
            Event(
                reviewer="filler",
                row=row % 10_000 + 2_000,
                row_key=f"{row % 10_000 + 2_000:016x}.0",
                kind="skip",
                **seen,
            )
            for row in range(50_000)
        )


def odd_cards(folder):
    classes = [f"class {code}" for code in range(1000)]
    long = {0: "word " * 200_000}
    from PIL import Image as image

    pixels = np.random.default_rng(0).integers(0, 255, (4000, 6000, 3), dtype=np.uint8)
    image.fromarray(pixels).resize((6000, 4000)).save(folder / "large.jpg", quality=80)
    cases = {
        "1,000 classes": ("many.audit", classes, str, None),
        "1 MB of text": ("text.audit", ["a", "b"], lambda row: long.get(row, "short"), None),
        "24 megapixels": ("picture.audit", ["a", "b"], str, "large.jpg"),
    }
    for what, (name, names, value, picture) in cases.items():
        audit = write_audit(folder / name, 3000, 400, names, value, picture)
        with served(audit) as server:
            server.get("/card/1")  # templates are compiled, as for any second card
            seconds, answer = server.get("/card/0")
            tell(
                f"card of {what}", f"{1000 * seconds:.0f} ms, {len(answer.content):,} B", "< 300 ms"
            )
            if picture:
                seconds, answer = server.get("/image/0")
                tell("its picture", f"{1000 * seconds:.0f} ms, {len(answer.content):,} B", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--decisions", type=int, default=200)
    asked = parser.parse_args()
    tell("what", "measured", "asked for")
    with tempfile.TemporaryDirectory() as folder:
        million(Path(folder), asked.rows, asked.decisions)
        odd_cards(Path(folder))


if __name__ == "__main__":
    print_header()
    main()
