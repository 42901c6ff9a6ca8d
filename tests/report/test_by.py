from errata.report import render
from errata.report._charts import draw_rates
from report.fake_summary import digits_summary


def value(name, rate):
    numbers = {"rows": 40, "rate": rate, "low": rate / 2, "high": 2 * rate, "flagged": 3}
    return {"value": name, **numbers, "chance": 1.0}


def test_places_are_in_percent_of_the_longest_interval():
    by = {"column": "site", "values": [value("a", 0.2), value("b", 0.05)], "sentence": None}
    first, second = draw_rates(by, "labels")["values"]
    assert (first["left"], first["at"], first["width"]) == (25.0, 50.0, 75.0)
    assert (second["left"], second["at"], second["width"]) == (6.25, 12.5, 18.75)
    assert draw_rates(None, "labels") is None


def test_values_are_shown_as_text():
    by = {"column": "<b>who", "values": [value("<script>", 0.2)], "sentence": "It stands out."}
    page = render(digits_summary(pictures=False) | {"by": by})
    assert "By &lt;b&gt;who</h2>" in page
    assert "&lt;script&gt;" in page.split('id="by"')[1].split("</section>")[0]
    assert "It stands out." in page


def test_no_more_than_fifty_are_drawn():
    many = {"column": "who", "values": [value(f"w{i}", 0.1) for i in range(60)], "sentence": None}
    page = render(digits_summary(pictures=False) | {"by": many})
    assert "the 50 noisiest of 60." in page
    assert "w49" in page
    assert "w50" not in page
