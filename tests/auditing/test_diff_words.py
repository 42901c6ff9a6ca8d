from errata.auditing.results._diff import diff_in_markdown, diff_in_sentences


def side(estimate=0.1, low=0.05, high=0.2, *, has_skill=True):
    rate = {"estimate": estimate, "low": low, "high": high}
    return {"title": "pets", "rows": 60, "noise_rate": rate, "has_skill": has_skill, "flagged": 1}


def row(number, why, **more):
    told = {"row": number, "old_row": number, "id": None, "label": "cat", "old_label": "cat"}
    return {**told, "suggested": "dog", "p_wrong": 0.9, "old_p_wrong": 0.8, "why": why, **more}


def told(**changes):
    base = {
        "kind": "classes",
        "matched_by": "id",
        "old": side(),
        "new": side(),
        "matched": 58,
        "added": 1,
        "gone": 2,
        "still_flagged": 0,
        "newly_flagged": [],
        "resolved": [],
        "notes": [],
        "intervals_overlap": True,
    }
    return base | changes


def test_sentences_say_how_rows_were_matched_and_what_is_flagged():
    assert diff_in_sentences(told(notes=["Beware."])) == [
        "58 rows are in both audits, matched by their ids; 1 is new and 2 are gone.",
        "Noise rate: 10% (5.0% to 20%) before, 10% (5.0% to 20%) now; the intervals overlap, so "
        "the difference may be chance.",
        "No row is newly flagged.",
        "Note: Beware.",
    ]


def test_the_words_are_those_of_the_kind():
    sentences = diff_in_sentences(told(kind="numbers", matched_by="contents"))
    assert "by all cells but the target;" in sentences[0]
    assert diff_in_sentences(told(kind="votes", matched_by="item"))[0].startswith("58 items are")


def test_a_difference_beyond_chance_has_a_direction():
    more = told(new=side(0.4, 0.3, 0.5), intervals_overlap=False)
    assert diff_in_sentences(more)[1].endswith("do not overlap: more are wrong than before.")
    fewer = told(old=side(0.4, 0.3, 0.5), intervals_overlap=False)
    assert diff_in_sentences(fewer)[1].endswith("do not overlap: fewer are wrong than before.")


def test_without_skill_rates_are_not_compared():
    blind = side(has_skill=False)
    assert diff_in_sentences(told(new=blind, intervals_overlap=None))[1] == (
        "How many labels are wrong cannot be compared: these columns do not tell the labels apart "
        "any more."
    )


def test_one_reason_is_told_without_its_number_and_several_with_it():
    rows = [row(3, "label changed"), row(4, "same label")]
    assert diff_in_sentences(told(newly_flagged=rows[:1]))[2] == (
        "1 row is newly flagged, with another label than before."
    )
    assert diff_in_sentences(told(resolved=rows))[3] == (
        "2 rows are no longer flagged: 1 with another label now, 1 with the label they had, which "
        "no longer looks wrong enough."
    )


def test_markdown_shows_the_first_rows_and_escapes_their_cells():
    rows = [row(n, "same label") for n in range(11)]
    gone = row(None, "row gone", old_row=7, id="a|b", label=None, p_wrong=None)
    text = diff_in_markdown(told(newly_flagged=rows, resolved=[gone], notes=["<b>"]))
    assert "**Newly flagged, the first 10 of 11**" in text
    assert text.count("| `cat` | `dog` | 0.90 | same label |") == 10
    assert "| 7 before | <code>a&#124;b</code> | `cat` | `dog` | 0.80 | row gone |" in text
    assert "- Note: &#60;b&#62;" in text


def test_markdown_shows_what_a_label_was_and_is():
    changed = row(3, "label changed", old_label="dog")
    assert "| `dog` → `cat` |" in diff_in_markdown(told(newly_flagged=[changed]))
