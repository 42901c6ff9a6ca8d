"""The routes, and what stands around them."""

from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from . import _actions, _export, _pages, _reaudit
from ._door import Door
from ._requests import BoundedProtocol, Guard, is_partial
from ._review import Review
from ._templates import KINDS, get_asset_address, read_asset, render_template


def make_app(review: Review, door: Door) -> Any:
    """The application: reading by GET, writing by POST, all of it behind the door."""
    looks = {
        "/": _pages.show_first,
        "/card/{row}": _pages.show_card,
        "/next": _pages.show_next,
        "/similar/{row}": _pages.send_similar,
        "/image/{row}": _pages.send_image,
        "/progress": _pages.send_progress,
        "/rows": _pages.show_list,
        "/history": _pages.show_history,
        "/agreement": _pages.show_agreement,
        "/more": _export.show_more,
        "/export": _export.send_export,
        "/reaudit": _reaudit.show_reaudit,
        "/reaudit/report": _reaudit.send_report,
        "/static/{digest}/{name}": _send_asset,
    }
    acts = {
        "/decide": _actions.decide,
        "/note": _actions.record_note,
        "/undo": _actions.undo,
        "/redo": _actions.redo,
        "/bulk": _actions.decide_many,
        "/reaudit": _reaudit.start_reaudit,
    }
    routes = [Route(path, handler, methods=["GET"]) for path, handler in looks.items()]
    routes += [Route(path, handler, methods=["POST"]) for path, handler in acts.items()]
    app = Starlette(
        routes=routes,
        middleware=[Middleware(Guard, door=door)],
        exception_handlers={HTTPException: _send_refusal},
    )
    app.state.review = review
    app.state.door = door
    app.state.reaudit = None
    return app


def make_server(app: Any, read_within: float = 30.0) -> Any:
    """The server of an application; a request must have arrived within so many seconds."""
    import uvicorn

    protocol: Any = partial(BoundedProtocol, read_within=read_within)
    config = uvicorn.Config(
        app,
        http=protocol,
        access_log=False,
        server_header=False,
        date_header=False,
        log_level="critical",
        lifespan="off",
        ws="none",
        loop="asyncio",
        timeout_graceful_shutdown=2,
    )
    return uvicorn.Server(config)


async def _send_asset(request: Any) -> Any:
    name = request.path_params["name"]
    if name not in KINDS or request.url.path != get_asset_address(name):
        raise HTTPException(404, "there is no such file.")
    kept = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(read_asset(name), media_type=KINDS[name], headers=kept)


async def _send_refusal(request: Any, error: Any) -> Any:
    """One sentence: to the script as it is, to a person on a page with a way back."""
    if is_partial(request) or not request.headers.get("accept", "").startswith("text/html"):
        return PlainTextResponse(error.detail, error.status_code, headers=error.headers)
    page = render_template("refused.html", sentence=error.detail, status=error.status_code)
    return HTMLResponse(page, error.status_code, headers=error.headers)
