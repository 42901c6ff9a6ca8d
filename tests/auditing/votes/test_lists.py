import numpy as np

from errata.auditing.votes._result import worker_columns


def worker(name, accuracy, n_votes=10, worst=None):
    known = {"low": accuracy - 0.1, "high": accuracy + 0.1, "agreement": 0.5, "guessing": False}
    return {"worker": name, "n_votes": n_votes, "accuracy": accuracy, "worst": worst, **known}


def test_annotators_come_by_accuracy_and_of_equals_by_votes():
    told = [worker("ann", 0.7), worker("ben", 0.9, worst=("cat", "dog")), worker("eve", 0.7, 20)]
    columns = worker_columns(told)
    assert columns["worker"].tolist() == ["ben", "eve", "ann"]
    assert columns["confuses"].tolist() == ["cat as dog", None, None]
    np.testing.assert_allclose(columns["accuracy"], [0.9, 0.7, 0.7], rtol=0, atol=1e-12)
