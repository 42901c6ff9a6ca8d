import pytest

from cli.command_line import invoke


@pytest.fixture(autouse=True)
def no_data_folder(monkeypatch):
    monkeypatch.delenv("ERRATA_DATA", raising=False)


def run(*arguments):
    return invoke("datasets", *arguments)


def test_the_list_shows_size_and_source():
    lines = {
        line.split()[1]: line for line in run().output.splitlines() if "classification" in line
    }
    assert "150" in lines["iris"]
    assert "scikit-learn" in lines["iris"]
    assert "(not here)" in lines["ctg"]


def test_one_data_set_is_described(tmp_path):
    result = run("wine")
    assert "wine: 178 rows, 13 features, from scikit-learn" in result.output
    assert "class_1" in result.output
    assert "40%" in result.output
    (tmp_path / "reg_mine.csv").write_text("a,target\n1,0.5\n2,1.5\n")
    assert "target from 0.5 to 1.5" in run("reg_mine", "--data", tmp_path).output


def test_brackets_in_class_names_are_shown_as_they_are(tmp_path):
    (tmp_path / "odd.csv").write_text("a,label\n1,[/foo]\n2,[bold]\n")
    result = run("odd", "--data", tmp_path)
    assert result.exit_code == 0
    assert "[/foo]" in result.output
    assert "[bold]" in result.output


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["nonsense"], "there is no data set 'nonsense'"),
        (["ctg"], "ERRATA_DATA"),
        (["--data", "nowhere"], "'nowhere' is not a folder"),
    ],
)
def test_what_is_missing_is_one_sentence(arguments, sentence):
    result = run(*arguments)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output
