"""Folders of audits made by hand, for tests of the review page: quick, and as odd as wanted."""

import json
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet

from errata.review.inference import draw_piles, gather_components

CLASSES = ("cat", "dog", "owl")
WORDS = ["small", "grey", "long", "wet", "soft", "loud", "tall", "warm", "dark", "round"]


def write_audit(
    folder,
    rows=120,
    flagged=40,
    classes=CLASSES,
    text=None,
    picture=None,
    image=None,
    label="species",
    table=None,
    columns=3,
    similar=True,
    gold=0,
):
    """Write an audit of ``rows`` rows, the first ``flagged`` of which are suspects.

    Row i has label i mod K and looks like the next class; ``text``, ``picture`` and ``image`` are
    functions of the row. The labels of the last ``gold`` rows are certain; of these, rows with even
    numbers are shown with the next class.
    """
    folder = Path(folder)
    folder.mkdir(parents=True)
    random = np.random.default_rng(0)
    k = len(classes)
    number = np.arange(rows)
    p_wrong = np.where(number < flagged, 0.97 - 0.9 * number / max(2 * flagged, 1), 0.02)
    is_flagged = number < flagged
    codes = number % k
    suggested = np.where(is_flagged, (codes + 1) % k, codes)
    names = np.array(classes, dtype=object)
    keys = [f"key{i}.0" for i in number]
    p = np.stack([np.zeros(rows), p_wrong, 1.2 * p_wrong.clip(max=0.8)], axis=1)
    components = gather_components(
        ["none", "uniform", "boundary"], np.array([0.1, 0.6, 0.3]), p, is_flagged, p_wrong.sum()
    )
    known = number >= rows - gold
    piles = draw_piles(is_flagged, random, known=known)
    about = {"title": "pets.csv", "label": label, "version": "0.1.0", "features": columns}
    about |= {} if table is None else {"table": str(table)}
    numbers = {
        "version": 17,
        "kind": "classes",
        "about": about,
        "fingerprint": "f00d",
        "components": components.as_dict(),
        "piles": piles,
        "noise_rate": [float(p_wrong.mean()), 0.0, 0.5],
        "examples": [{"row": 0, "values": {"weight": "31"}, "usual": {"weight": "4"}}],
    }
    (folder / "audit.json").write_text(json.dumps(numbers))
    shown = list(number[is_flagged])
    drawn = [*(row for row, *_ in piles["calibration"]), *piles["spot"]]
    shown += [row for row in dict.fromkeys(drawn) if not is_flagged[row]]
    parquet.write_table(
        pyarrow.table(
            {
                "labels": names[codes].tolist(),
                "suggested": names[suggested].tolist(),
                "p_wrong": p_wrong,
                "suspicion": p_wrong,
                "p_suggested": p_wrong,
                "flagged": is_flagged,
                "key": keys,
            }
            | ({"known": known} if gold else {})
        ),
        folder / "rows.parquet",
    )
    parquet.write_table(
        pyarrow.table({f"component_{h}": p[:, h].astype(np.float32) for h in range(p.shape[1])}),
        folder / "components.parquet",
    )

    def card(row):
        values = {f"column {j}": WORDS[(row + 3 * j) % 10] for j in range(columns)}
        values |= {} if text is None else {"remark": text(row)}
        values |= {} if picture is None else {"photo": picture(row)}
        near = [int((row + step) % rows) for step in range(1, 6)]
        chances = np.full(k, 0.1 / max(k - 2, 1))
        chances[codes[row]], chances[(codes[row] + 1) % k] = 1 - p_wrong[row], p_wrong[row]
        order = np.argsort(-chances, kind="stable")[:10]
        return {
            "row": int(row),
            "id": None,
            "key": keys[row],
            "label": classes[codes[row]],
            "suggested": classes[(codes[row] + 1) % k],
            "p_wrong": float(p_wrong[row]),
            "classes": [[classes[c], float(chances[c])] for c in order],
            "reasons": [f"All 3 models predict {classes[(codes[row] + 1) % k]}."],
            "values": values,
            "speaking": ["column 1"],
            "similar": None
            if not similar
            else [
                {
                    "row": other,
                    "label": classes[codes[other]],
                    "distance": 0.5,
                    "values": {"column 1": WORDS[(other + 3) % 10]}
                    | ({} if text is None else {"remark": text(other)})
                    | ({} if picture is None else {"photo": picture(other)}),
                    "image": None if image is None else image(other),
                }
                for other in near
            ],
            "image": None if image is None else image(row),
            "picture": None if picture is None else picture(row),
        }

    def gold_card(row):
        told = card(row)
        is_planted = row % 2 == 0
        if is_planted:
            told |= {"label": told["suggested"], "suggested": told["label"], "p_wrong": 0.9}
            rest = [name for name in classes if name not in (told["label"], told["suggested"])]
            names = [told["suggested"], told["label"], *rest]
            told["classes"] = [[name, p] for name, p in zip(names, (0.9, 0.1, 0.0), strict=False)]
        return told | {"flagged": is_planted, "components": [0.0, told["p_wrong"], 0.5]}

    def write_cards(name, rows, make):
        texts = [json.dumps(make(int(row))) for row in rows]
        columns = {"row": [int(row) for row in rows], "card": texts}
        made = pyarrow.table(columns, schema=schema)
        parquet.write_table(made, folder / name, row_group_size=200)

    schema = pyarrow.schema([("row", pyarrow.int64()), ("card", pyarrow.string())])
    write_cards("cards.parquet", shown, card)
    if gold:
        write_cards("gold.parquet", number[known], gold_card)
    return folder


def write_numbers_audit(folder, **how):
    """The same of numbers: row i has 10 i + 0.5, and of a suspect it should be a tenth."""
    write_audit(folder, **how)

    def card(told):
        row = told["row"]
        told |= {"label": 10 * row + 0.5, "suggested": row + 0.05, "classes": []}
        told |= {"low": f"{row - 1:.1f}", "high": f"{row + 1:.1f}", "hint": "x10"}
        told["similar"] = [near | {"label": float(near["row"])} for near in told["similar"] or []]
        return told

    def columns(rows):
        number = np.arange(rows.num_rows)
        return {"targets": 10 * number + 0.5, "suggested": number + 0.05}

    return _of_kind(folder, "numbers", card, columns)


def write_sets_audit(folder, **how):
    """The same of several labels: row i has a class and "old", and looks like the next class."""
    write_audit(folder, **how)
    names = [*CLASSES, "old"]

    def card(told):
        label, suggested = told["label"], told["suggested"]
        cells = [(name, name in (label, "old"), name in (label, suggested)) for name in names]
        cells.sort(key=lambda cell: not cell[2])
        told["cells"] = [
            [n, is_set, 0.9 if doubted else 0.01, doubted] for n, is_set, doubted in cells
        ]
        told |= {"label": [label, "old"], "suggested": [suggested, "old"], "classes": []}
        told["similar"] = [near | {"label": [near["label"]]} for near in told["similar"] or []]
        return told

    def columns(rows):
        labels, suggested = rows["labels"].to_pylist(), rows["suggested"].to_pylist()
        pairs = list(zip(labels, suggested, strict=True))
        is_set = {f"label {i}": [n in (own, "old") for own in labels] for i, n in enumerate(names)}
        doubted = {
            f"flagged {i}": [own != other and n in (own, other) for own, other in pairs]
            for i, n in enumerate(names)
        }
        return is_set | doubted | {"p_row": rows["p_wrong"]}

    return _of_kind(folder, "multilabel", card, columns, names=names)


def _of_kind(folder, kind, card, columns, **numbers):
    """Rewrite a folder of classes as one of another kind."""
    path = Path(folder) / "audit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"kind": kind} | numbers))
    rows = parquet.read_table(Path(folder) / "rows.parquet")
    kept = {name: rows[name] for name in ("key", "p_wrong", "suspicion", "flagged")}
    parquet.write_table(pyarrow.table(kept | columns(rows)), Path(folder) / "rows.parquet")
    cards = parquet.read_table(Path(folder) / "cards.parquet")
    texts = [json.dumps(card(json.loads(text.as_py()))) for text in cards["card"]]
    written = pyarrow.table({"row": cards["row"], "card": texts}, schema=cards.schema)
    parquet.write_table(written, Path(folder) / "cards.parquet", row_group_size=200)
    return Path(folder)
