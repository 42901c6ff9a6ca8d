"""The parts of Starlette that the server is made of, imported here with their extra named."""

from ..._optional import require

_responses = require("starlette.responses", extra="review")
_routing = require("starlette.routing", extra="review")

Starlette = require("starlette.applications", extra="review").Starlette
HTTPException = require("starlette.exceptions", extra="review").HTTPException
BackgroundTask = require("starlette.background", extra="review").BackgroundTask
Middleware = require("starlette.middleware", extra="review").Middleware
run_in_threadpool = require("starlette.concurrency", extra="review").run_in_threadpool
Route = _routing.Route
FileResponse = _responses.FileResponse
HTMLResponse = _responses.HTMLResponse
JSONResponse = _responses.JSONResponse
PlainTextResponse = _responses.PlainTextResponse
RedirectResponse = _responses.RedirectResponse
Response = _responses.Response
