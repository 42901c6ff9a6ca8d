"""The page of an audit of votes in a real browser."""

import pytest

import errata
from auditing.vote_cases import crowd, measured
from report.browsing import needs_browser, noted_by

pytestmark = needs_browser

PROBE = """
const table = byId("example-table");
noted.heads = [...table.querySelectorAll("thead th")].map((cell) => cell.textContent);
noted.count = byId("found").textContent;
openExample(examples[0].row);
const panel = document.activeElement.nextElementSibling;
noted.ballots = [...panel.querySelectorAll(".ballots li")].map((line) => line.textContent);
noted.near = [...panel.querySelectorAll(".similar li")].map((line) => line.textContent);
setFilters({ text: "photo 7" });
noted.found = chosen.map((example) => example.id);
setFilters({ text: "gus" });
noted.by_voter = chosen.length;
noted.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
noted.dots = [...document.querySelectorAll(".annotators .dot")].map((dot) => {
  const [point, line] = [dot, dot.parentElement].map((part) => part.getBoundingClientRect());
  return (point.left + point.width / 2 - line.left) / line.width;
});
"""


@pytest.fixture(scope="module")
def summary():
    votes, truth = crowd()
    names = [f"photo {place}" for place in range(120)]
    votes["item"] = [names[place] for place in votes["item"]]
    table = {"item": names, "a": measured(truth)[:, 0], "b": measured(truth)[:, 1]}
    return errata.audit_votes(votes, X=table, random_state=0).summary()


@pytest.fixture(scope="module")
def noted(summary, tmp_path_factory):
    return noted_by(PROBE, summary, tmp_path_factory.mktemp("votes"), "--window-size=1280,900")


def test_items_are_called_by_their_names(noted, summary):
    assert noted["heads"][0].startswith("Item")
    assert not any(head.startswith("Row") for head in noted["heads"])
    assert noted["count"] == f"{len(summary['examples'])} items"
    assert all(line.startswith("Item photo ") for line in noted["near"])
    assert all("photo 7" in name for name in noted["found"])
    assert noted["found"]


def test_what_opens_tells_who_voted_what(noted, summary):
    sides = summary["examples"][0]["votes"]
    assert len(noted["ballots"]) == len(sides)
    for line, side in zip(noted["ballots"], sides, strict=True):
        assert line.startswith(f"{side['label']} {side['count']} vote")
        assert all(name in line for name, _ in side["by"])


def test_an_annotator_can_be_searched_for(noted, summary):
    voters = ({name for s in each["votes"] for name, _ in s["by"]} for each in summary["examples"])
    assert noted["by_voter"] == sum("gus" in names for names in voters)


def test_dots_stand_where_accuracies_are(noted, summary):
    told = [worker["accuracy"] for worker in summary["workers"]]
    assert noted["dots"] == pytest.approx(told, rel=0, abs=0.02)


@pytest.mark.parametrize("width", [1280, 768, 500])
def test_nothing_overflows(summary, tmp_path, width):
    again = noted_by(PROBE, summary, tmp_path, f"--window-size={width},900")
    assert again["overflow"] <= 0
