"""``errata mcp``: audits for assistants that speak the Model Context Protocol.

An assistant reaches the files below one folder and nothing else. What writes is a command of errata
in a process of its own: it prints what a person would read, and can be stopped.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Literal

import click

import errata

from .._files import name_beside
from .._format import plural
from .._optional import require
from ._common import find_table

INSTRUCTIONS = """errata finds wrong labels in tables. Call `audit` on a table first; it says how \
many labels are probably wrong and writes a folder. `explain` tells why a row is doubted. `decide` \
records what a PERSON said about a row: never record an answer that nobody gave. `certificate` \
tells what the decisions prove. `clean` writes the table without the wrong labels; the original \
stays as it is."""


@click.command(short_help="Let an assistant audit the files of a folder.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=".",
    help="What the assistant may read and write; nothing above it.  [default: this one]",
)
def mcp(folder: Path) -> None:
    """Serve audits to an assistant over standard input and output (Model Context Protocol).

    The assistant starts this command itself; name it in its settings with the folder of your
    tables. It gets five tools: audit, explain, decide, certificate and clean.

    \b
    Example, for an assistant that reads mcp.json:
      {"mcpServers": {"errata": {"command": "errata", "args": ["mcp", "--folder", "tables"]}}}
    """
    make_server(folder).run()


def make_server(folder: Path) -> Any:
    """The server with its tools, for files below a folder."""
    mcpserver = require("mcp.server.mcpserver", extra="mcp")
    anyio = require("anyio", extra="mcp")
    root = folder.resolve()
    server = mcpserver.MCPServer("errata", instructions=INSTRUCTIONS, version=errata.__version__)

    def find(name: str) -> Path:
        """A path below the folder, links followed."""
        path = (root / name).resolve()
        if not path.is_relative_to(root):
            raise mcpserver.exceptions.ToolError(f"{name} is not below the folder that is served.")
        return path

    def find_audited_table(audit: Path) -> Path:
        """The table of an audit; its folder may be a stranger's, and name any file."""
        from ..audit_folder import read_numbers  # here, as it brings NumPy

        named = read_numbers(audit)["about"].get("table")
        return find(str(find_table(named, audit)))

    async def run(*arguments: str | Path) -> str:
        """Run a command of errata; returns what it prints."""
        command = [sys.executable, "-P", "-m", "errata.cli", *map(str, arguments)]
        done = await anyio.run_process(command, check=False, cwd=root, stdin=subprocess.DEVNULL)
        if done.returncode:
            sentence = done.stderr.decode("utf-8", errors="replace").strip()
            raise mcpserver.exceptions.ToolError(sentence.removeprefix("Error: "))
        return done.stdout.decode("utf-8")

    async def look(function: Any, *arguments: Any) -> Any:
        """Call a function of the library, whose errors become sentences for the assistant."""
        try:
            return await anyio.to_thread.run_sync(function, *arguments)
        except (ValueError, OSError, KeyError) as error:
            raise mcpserver.exceptions.ToolError(str(error)) from error

    @server.tool()
    async def audit(
        file: str,
        label: str,
        drop: list[str] | None = None,
        group: str | None = None,
        by: str | None = None,
        self_check: bool = True,
        replace: bool = False,
    ) -> dict[str, Any]:
        """Find the wrong labels in a table.

        file: CSV, TSV, JSON lines, Parquet, Feather or Excel below the folder. label: its column of
        labels. drop: columns that are no features. group: a column of rows that belong together,
        such as a patient. by: a column that says who made the labels. self_check: plant errors to
        see how many are found; takes as long again. replace: an audit of this table that is there.
        Returns the answer in a sentence, numbers, the most suspicious rows, and the folder of the
        audit, which the other tools take.
        """
        table = find(file)
        out = name_beside(table, ".audit", ending="")
        options = [f"--drop={column}" for column in drop or ()]
        options += [f"--{name}={value}" for name, value in (("group", group), ("by", by)) if value]
        options += [] if self_check else ["--no-self-check"]
        options += ["--force"] if replace else []
        options += [f"--label={label}", f"--out={out}", "--json"]
        found = json.loads(await run("audit", *options, "--", table))
        return found | {"audit": str(out.relative_to(root))}

    @server.tool()
    async def explain(audit: str, row: int) -> str:
        """Why the label of one row is doubted, or not: models, nearest rows and columns.

        audit: the folder that `audit` returned. row: counted from 0 after the header.
        """
        folder = find(audit)

        def answer() -> str:
            loaded = errata.Audit.load(folder)
            for value in (loaded._about.get("arguments") or {}).values():
                if isinstance(value, str) and Path(value).is_absolute():
                    find(value)  # of a stranger's audit, it may be any file
            return str(loaded.explain(row, find_audited_table(folder)))

        return await look(answer)

    @server.tool()
    async def decide(audit: str, row: int, label: str, reviewer: str) -> str:
        """Record what a person said about the label of a row.

        label: the class that the person says is right, which may be the label that is there.
        reviewer: who said it. Only what a person said: decisions outweigh what models predict.
        """
        folder = find(audit)

        def record() -> str:
            audited = errata.review.read_audited(folder)
            if not 0 <= row < len(audited.keys):
                raise ValueError(f"there is no row {row}; the last is {len(audited.keys) - 1}.")
            classes = audited.classes
            if label not in classes:
                raise ValueError(f"{label!r} is none of the classes: {', '.join(classes)}.")
            with errata.review.open_decisions(folder) as decisions:
                event = audited.decide(row, classes[label], reviewer=reviewer, queue="assistant")
                decisions.record(event)
                decided = sum(v.state == "decided" for v in decisions.verdicts().values())
            so_far = f"{plural(decided, 'row')} {'is' if decided == 1 else 'are'} decided"
            return f"Recorded: row {row} is {label}, says {reviewer}. {so_far}."

        return await look(record)

    @server.tool()
    async def certificate(audit: str) -> dict[str, Any]:
        """Sum up the decisions so far: rows left, how good the list is, what is proved."""
        return json.loads(await run("decisions", "--json", "--", find(audit)))

    @server.tool()
    async def clean(
        audit: str,
        out: str,
        action: Literal["drop", "relabel", "unlabel", "weight"] = "drop",
        replace: bool = False,
    ) -> str:
        """Write the table without the labels that are probably wrong, after what people decided.

        out: the new file, below the folder. action: drop these rows, relabel them where another
        class is sure, unlabel them, or add a column of weights. replace: a file that is there.
        """
        folder = find(audit)
        table = await look(find_audited_table, folder)
        options = [f"--out={find(out)}", f"--action={action}", f"--table={table}"]
        options += ["--force"] if replace else []
        return await run("clean", *options, "--", folder)

    return server
