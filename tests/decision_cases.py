"""Events for the tests of decisions."""

from errata.review import Event, as_text


def said(kind="suggestion", row=0, reviewer="ann", **other):
    """An event about a cat that looks like a dog."""
    classes = {"suggestion": "dog", "label": "cat", "other": "cow"}
    event = {
        "reviewer": reviewer,
        "row": row,
        "row_key": f"row.{row}",
        "kind": kind,
        "class_text": as_text(classes[kind]) if kind in classes else None,
        "label": as_text("cat"),
        "suggested": as_text("dog"),
        "p_wrong": 0.9,
        "audit": "5f0c",
    }
    return Event(**event | other)


def standing(decisions):
    """Everything that decisions amount to, in a form that two files can be compared by."""
    last = {place: event.key for place, event in decisions.by_reviewer().items()}
    return dict(decisions.verdicts()), last, decisions.agreement()
