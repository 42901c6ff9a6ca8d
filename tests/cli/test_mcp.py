"""An assistant over standard input and output, from the table to a clean one."""

import asyncio
import json
import os
import sys

import numpy as np
import pytest

import errata

mcp = pytest.importorskip("mcp", reason="the extra mcp is not installed")


@pytest.fixture
def folder(tmp_path):
    """A folder that is served, with a table, and a secret beside it."""
    served = tmp_path / "served"
    served.mkdir()
    kind = np.repeat(["cat", "dog"], 20)
    height = np.random.default_rng(0).normal(np.where(kind == "cat", 25, 60), 4)
    kind[3] = "dog"
    for file in (served / "pets.csv", tmp_path / "secret.csv"):
        errata.tables.write_table(file, {"height": height, "kind": kind})
    (served / "link.csv").symlink_to(tmp_path / "secret.csv")
    return served


def talk(folder, conversation):
    """Let a client speak with ``errata mcp``, started as an assistant would start it."""
    command = ["-P", "-m", "errata.cli", "mcp", "--folder", str(folder)]

    async def speak():
        server = mcp.StdioServerParameters(
            command=sys.executable, args=command, env=dict(os.environ)
        )
        async with mcp.Client(server) as client:
            return await conversation(client)

    return asyncio.run(speak())


async def call(client, tool, **arguments):
    """What a tool answers: text, or what it holds as JSON."""
    result = await client.call_tool(tool, arguments)
    text = result.content[0].text
    assert not result.is_error, text
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


async def refuse(client, tool, **arguments):
    """The sentence with which a tool refuses."""
    result = await client.call_tool(tool, arguments)
    assert result.is_error, result.content
    return result.content[0].text


def test_from_the_table_to_a_clean_one(folder):
    async def conversation(client):
        tools = {tool.name for tool in (await client.list_tools()).tools}
        assert tools == {"audit", "explain", "decide", "certificate", "clean"}
        found = await call(client, "audit", file="pets.csv", label="kind", self_check=False)
        assert found["audit"] == "pets.audit"
        why = await call(client, "explain", audit="pets.audit", row=3)
        assert "is labelled dog" in why
        said = await call(client, "decide", audit="pets.audit", row=3, label="cat", reviewer="ann")
        assert said == "Recorded: row 3 is cat, says ann. 1 row is decided."
        told = await call(client, "certificate", audit="pets.audit")
        assert told["sentences"]
        await call(client, "clean", audit="pets.audit", out="clean.csv", action="relabel")

    talk(folder, conversation)
    before = errata.tables.read_table(folder / "pets.csv")["kind"].to_pylist()
    after = errata.tables.read_table(folder / "clean.csv")["kind"].to_pylist()
    assert before[3] == "dog"
    assert after[3] == "cat"


def test_nothing_outside_the_folder_is_reached(folder, tmp_path):
    async def conversation(client):
        for file in ("../secret.csv", str(tmp_path / "secret.csv"), "link.csv"):
            sentence = await refuse(client, "audit", file=file, label="kind")
            assert "is not below the folder that is served" in sentence
        errata.audit_file(folder / "pets.csv", "kind", self_check=False).save(folder / "pets.audit")
        sentence = await refuse(client, "clean", audit="pets.audit", out="../clean.csv")
        assert "is not below the folder" in sentence
        # An audit of a stranger may name any file as its table.
        numbers = json.loads((folder / "pets.audit" / "audit.json").read_text())
        numbers["about"]["table"] = str(tmp_path / "secret.csv")
        (folder / "pets.audit" / "audit.json").write_text(json.dumps(numbers))
        for tool, more in (("explain", {"row": 3}), ("clean", {"out": "clean.csv"})):
            sentence = await refuse(client, tool, audit="pets.audit", **more)
            assert "is not below the folder" in sentence

    talk(folder, conversation)
    assert not (tmp_path / "secret.audit").exists()
    assert not (tmp_path / "clean.csv").exists()
    assert not (folder / "clean.csv").exists()


def test_what_goes_wrong_is_a_sentence(folder):
    async def conversation(client):
        assert "has no column 'kin'" in await refuse(client, "audit", file="pets.csv", label="kin")
        assert "does not exist" in await refuse(client, "audit", file="none.csv", label="kind")
        # A name that looks like an option is a name.
        assert "no column '--engine=dask'" in await refuse(
            client, "audit", file="pets.csv", label="kind", drop=["--engine=dask"]
        )
        errata.audit_file(folder / "pets.csv", "kind", self_check=False).save(folder / "pets.audit")
        again = await refuse(client, "audit", file="pets.csv", label="kind", self_check=False)
        assert "--force" in again
        how = {"audit": "pets.audit", "reviewer": "ann"}
        sentence = await refuse(client, "decide", row=40, label="cat", **how)
        assert sentence.endswith("there is no row 40; the last is 39.")
        sentence = await refuse(client, "decide", row=3, label="cow", **how)
        assert "'cow' is none of the classes: cat, dog" in sentence

    talk(folder, conversation)
