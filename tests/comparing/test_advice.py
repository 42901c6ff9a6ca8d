from errata.comparing._result import describe_basis, write_advice


def row(name, score, within_chance=True, seconds=1.0):
    bounds = {"low": score - 0.03, "high": score + 0.03}
    return {
        "name": name,
        "score": score,
        "within_chance": within_chance,
        "seconds": seconds,
    } | bounds


def said(*rows, score="accuracy"):
    return write_advice({"competitors": list(rows), "score": score})


def test_those_within_chance_are_named_and_the_quickest_of_them():
    text = said(row("SVM", 0.9), row("forest", 0.89, seconds=0.1), row("tree", 0.6, False, 0.01))
    assert text == (
        "SVM has the highest estimated accuracy, 90.0% (87.0% to 93.0%); its lead over forest is "
        "within chance; forest is the quickest of them."
    )


def test_when_all_are_within_chance_nobody_is_listed():
    text = said(row("SVM", 0.9, seconds=0.1), row("forest", 0.89), row("tree", 0.88))
    assert text.endswith("but all 3 are within chance of it; it is also the quickest of them.")


def test_a_name_begins_the_sentence_with_a_capital():
    assert said(row("random forest", 0.9), row("tree", 0.1, False)).startswith("Random forest has")


def test_without_skill_agreement_is_not_called_accuracy():
    rows = [row("SVM", 0.9), row("tree", 0.1, False)]
    assert "highest agreement with the labels" in said(*rows, score="agreement")
    summary = {"score": "agreement", "noise_rate": {}}
    assert "nobody can say which labels are wrong" in describe_basis(summary)


def test_the_basis_tells_the_noise_rate():
    rate = {"estimate": 0.2, "low": 0.1, "high": 0.3}
    assert "About 20% of the labels are wrong (10% to 30%)" in describe_basis(
        {"score": "accuracy", "noise_rate": rate}
    )
