"""What was decided, to take along."""

import json
from collections.abc import Iterator
from typing import Any

from ._filter import RowFilter
from ._requests import review_of
from ._stage import page_view
from ._templates import rendered
from ._web import HTMLResponse, HTTPException, StreamingResponse


async def more(request: Any) -> Any:
    """What can be exported, and the way to a new audit."""
    review = review_of(request)
    view = page_view(review, RowFilter(review.options.queue))
    decisions = review.decisions.path
    return HTMLResponse(
        rendered("more.html", **view, decisions=decisions, audit=review.folder.path)
    )


async def export(request: Any) -> Any:
    """A file, sent as it is made."""
    review = review_of(request)
    if request.query_params.get("format", "events") != "events":
        raise HTTPException(422, "there is no such format.")
    name = f"{review.folder.path.resolve().name.removesuffix('.audit')}.events.jsonl"
    headers = {"Content-Disposition": _attachment(name)}
    return StreamingResponse(_events(review), media_type="application/x-ndjson", headers=headers)


def _events(review: Any) -> Iterator[str]:
    for event in review.decisions.events():
        yield f"{json.dumps(event.as_dict())}\n"


def _attachment(name: str) -> str:
    plain = "".join(letter if letter.isalnum() or letter in "._-" else "_" for letter in name)
    return f'attachment; filename="{plain.encode("ascii", "replace").decode().replace("?", "_")}"'
