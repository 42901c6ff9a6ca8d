"""Issues of a data set, in one table."""

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.neighbors import kneighbors_graph

from ..._validation import check_choice
from ...auditing import audit, audit_multilabel, audit_targets
from ._inputs import audit_cells, audit_labels, check_method, one_hot
from .classification import CleanLearning

__all__ = ["Datalab"]

TASKS = ("classification", "regression", "multilabel")
ISSUES = {
    "null": "Rows whose features are missing.",
    "label": "Rows whose label is probably wrong.",
    "outlier": "Rows that are far from all others.",
    "near_duplicate": "Rows that are copies of others, or nearly so.",
    "class_imbalance": "Rows of the rarest class, if it is too rare.",
}


class Datalab:
    """Look for wrong labels and other issues of a data set.

    Do not use it for new code: :func:`errata.audit` says how many labels are wrong, how sure that
    is, and has a report and a review.

    Parameters
    ----------
    data : dataframe, mapping, list of mappings, ``Dataset`` of Hugging Face, or path
        The table with the labels. A path leads to a CSV or JSON file.
    task : {"classification", "regression", "multilabel"}, default="classification"
        What the labels are.
    label_name : str, optional
        The column of the labels.
    image_key : str, optional
        Accepted; pictures are not looked at. See :func:`errata.audit` for these.
    verbosity : int, default=1
        Accepted; only :meth:`report` prints.
    method : {"posterior", "confident_learning"}, default="posterior"
        Whether errata's posterior decides on labels, or the rules of Northcutt et al. (2021).

    Attributes
    ----------
    issues : pandas.DataFrame
        A row for each row of the data, ``is_<issue>_issue`` and ``<issue>_score`` for each issue.
    issue_summary : pandas.DataFrame
        A row for each issue.

    Examples
    --------
    >>> import numpy as np
    >>> from errata.compat.cleanlab import Datalab
    >>> labels = np.repeat(["cat", "dog"], 50)
    >>> pred_probs = np.where(labels[:, None] == ["cat", "dog"], 0.95, 0.05)
    >>> labels[3] = "dog"
    >>> lab = Datalab({"label": labels}, label_name="label")
    >>> lab.find_issues(pred_probs=pred_probs)
    >>> issues = lab.get_issues("label")
    >>> issues[issues["is_label_issue"]][["given_label", "predicted_label"]]
      given_label predicted_label
    3         dog             cat
    """

    def __init__(
        self,
        data: Any,
        task: str = "classification",
        label_name: str | None = None,
        image_key: str | None = None,
        verbosity: int = 1,
        method: str = "posterior",
    ) -> None:
        import pandas

        check_method(method)
        check_choice("task", task, TASKS)
        self.task = task
        self.label_name = label_name
        self.image_key = image_key
        self.verbosity = verbosity
        self.method = method
        self.data = self._read(data)
        self._details: dict[str, Any] = {}
        self.issues = pandas.DataFrame(index=range(len(self.data)))
        self.issue_summary = pandas.DataFrame({"issue_type": [], "score": [], "num_issues": []})
        if label_name is not None and label_name not in self.data.columns:
            raise ValueError(
                f"there is no column {label_name!r}; the columns are "
                f"{', '.join(map(str, self.data.columns))}."
            )

    def _read(self, data: Any) -> Any:
        """The data as a dataframe; a column of several dimensions keeps its rows as lists."""
        import pandas

        if isinstance(data, str):
            reader = pandas.read_json if data.endswith(".json") else pandas.read_csv
            return reader(data)
        if hasattr(data, "to_pandas"):
            return data.to_pandas()
        if isinstance(data, dict):
            data = {
                key: list(values) if isinstance(values, np.ndarray) else values
                for key, values in data.items()
            }
        return pandas.DataFrame(data).reset_index(drop=True)

    @property
    def has_labels(self) -> bool:
        """Whether the column of the labels is known."""
        return self.label_name is not None

    @property
    def _given(self) -> np.ndarray:
        return self.data[self.label_name].to_numpy()

    @property
    def class_names(self) -> list:
        """The sorted labels."""
        if self.task == "regression" or not self.has_labels:
            return []
        if self.task == "multilabel":
            return sorted({label for row in self._given for label in row})
        return sorted(set(self._given.tolist()))

    @property
    def labels(self) -> Any:
        """The labels; those of classes as integers, in the order of :attr:`class_names`."""
        if not self.has_labels:
            return np.zeros(0)
        if self.task == "regression":
            return self._given.astype(float)
        place = {name: code for code, name in enumerate(self.class_names)}
        if self.task == "multilabel":
            return [[place[label] for label in row] for row in self._given]
        return np.array([place[label] for label in self._given.tolist()])

    def list_possible_issue_types(self) -> list[str]:
        """Issues that can be looked for.

        Returns
        -------
        list of str
        """
        return list(ISSUES)

    def list_default_issue_types(self) -> list[str]:
        """Issues that are looked for if none is named.

        Returns
        -------
        list of str
        """
        return list(ISSUES)

    def find_issues(
        self,
        *,
        pred_probs: Any = None,
        features: Any = None,
        knn_graph: Any = None,
        issue_types: dict[str, dict] | None = None,
    ) -> None:
        """Look for issues; :meth:`get_issues` and :meth:`report` tell what was found.

        Parameters
        ----------
        pred_probs : array-like of shape (n, K) or (n,), optional
            Out-of-sample probabilities of the sorted labels; predictions if these are numbers.
        features : array-like of shape (n, d), optional
            Features or embeddings.
        knn_graph : sparse matrix of shape (n, n), optional
            Distances to the nearest rows, instead of those by ``features``.
        issue_types : dict, optional
            Issues to look for, each with its settings: ``threshold`` for ``outlier`` (0.37037),
            ``near_duplicate`` (0.13) and ``class_imbalance`` (0.1), ``k`` for the first two (10),
            ``clean_learning_kwargs`` for ``label``. By default all that the arguments allow.

        Notes
        -----
        Labels are judged by ``pred_probs``; without them by errata's models on ``features``;
        without these by the neighbours of ``knn_graph``; with nothing by errata's models on the
        data itself. A row is an outlier if its mean distance to ``k`` neighbours exceeds the upper
        quartile by more than ``1 / threshold - 1`` times the distance of the quartiles. It is a
        near duplicate if its nearest row is closer than ``threshold`` times the median of these
        distances. The rarest class is too rare below ``threshold / K``.
        """
        wanted = {name: {} for name in ISSUES} if issue_types is None else issue_types
        for name in wanted:
            if name not in ISSUES:
                raise ValueError(
                    f"{name!r} is no issue that is looked for; these are {', '.join(ISSUES)}."
                )
        if features is not None:
            features = np.asarray(features)
        found = {}
        if "null" in wanted and features is not None:
            found["null"] = _find_null(features)
        if "label" in wanted and self.has_labels:
            found["label"] = self._find_label(pred_probs, features, knn_graph, wanted["label"])
        for name, find in (("outlier", _find_outliers), ("near_duplicate", _find_duplicates)):
            if name in wanted and (features is not None or knn_graph is not None):
                options = dict(wanted[name])
                graph = knn_graph
                if graph is None:
                    graph = _build_graph(features, options.get("k", 10))
                options.pop("k", None)
                found[name] = find(csr_matrix(graph), **options)
        if "class_imbalance" in wanted and self.task == "classification" and self.has_labels:
            found["class_imbalance"] = self._find_imbalance(**wanted["class_imbalance"])
        for name, (columns, score) in found.items():
            self._keep(name, columns, score)

    def _keep(self, name: str, columns: dict[str, Any], score: float) -> None:
        """Put what was found of one issue into the tables, in place of what was there."""
        import pandas

        table = pandas.DataFrame(columns)
        table.columns = [f"is_{name}_issue", f"{name}_score", *list(columns)[2:]]
        self._details[name] = table
        for column in table.columns[:2]:
            self.issues[column] = table[column]
        line = {"issue_type": name, "score": score, "num_issues": int(table.iloc[:, 0].sum())}
        others = self.issue_summary[self.issue_summary["issue_type"] != name]
        lines = [*others.to_dict("records"), line]
        self.issue_summary = pandas.DataFrame(lines)

    def _find_label(
        self, pred_probs: Any, features: Any, knn_graph: Any, options: dict
    ) -> tuple[dict[str, Any], float]:
        """Judge labels of any task, by probabilities, by features or by the data itself."""
        table = None
        if pred_probs is None:
            table = self.data.drop(columns=self.label_name) if features is None else features
        if self.task == "regression":
            return self._find_wrong_numbers(pred_probs, table)
        if self.task == "multilabel":
            return self._find_wrong_cells(pred_probs, table)
        n_classes = len(self.class_names)
        if pred_probs is None and features is None and knn_graph is not None:
            pred_probs = _vote(csr_matrix(knn_graph), self.labels, n_classes)
        if self.method == "posterior":
            return self._find_wrong_labels(pred_probs, table)
        if pred_probs is None:
            if features is None:
                raise ValueError("method='confident_learning' needs pred_probs or features.")
            graph = _build_graph(features, options.get("k", 10))
            pred_probs = _vote(graph, self.labels, n_classes)
        return self._find_by_rules(pred_probs, options.get("clean_learning_kwargs", {}))

    def _find_wrong_numbers(self, predictions: Any, table: Any) -> tuple[dict[str, Any], float]:
        result = audit_targets(
            table, self.labels, predictions=predictions, self_check=False, random_state=0
        )
        predicted = result.predicted if predictions is None else np.asarray(predictions)
        return _columns(result, self._given, predicted), 1 - result.noise_rate.estimate

    def _find_wrong_cells(self, pred_probs: Any, table: Any) -> tuple[dict[str, Any], float]:
        names = np.array(self.class_names)
        member = one_hot(self.labels, len(names))
        if pred_probs is None:
            result = audit_multilabel(table, member, self_check=False, random_state=0)
        else:
            result = audit_cells(member, np.asarray(pred_probs, dtype=float))
        right = np.where(result.flagged_cells, 1 - member, member).astype(bool)
        predicted = [list(names[row]) for row in right]
        return _columns(result, self._given, predicted), 1 - result.noise_rate.estimate

    def _find_wrong_labels(self, pred_probs: Any, table: Any) -> tuple[dict[str, Any], float]:
        names = np.array(self.class_names)
        if pred_probs is None:
            result = audit(table, self.labels, self_check=False, random_state=0)
            predicted = names[result.suggested]
        else:
            proba = np.asarray(pred_probs, dtype=float)
            result = audit_labels(self.labels, proba)
            predicted = names[proba.argmax(axis=1)]
        return _columns(result, self._given, predicted), 1 - result.noise_rate.estimate

    def _find_by_rules(self, pred_probs: Any, settings: dict) -> tuple[dict[str, Any], float]:
        learner = CleanLearning(**{"method": self.method, **settings})
        table = learner.find_label_issues(labels=self.labels, pred_probs=pred_probs)
        columns = {
            "flagged": table["is_label_issue"],
            "score": table["label_quality"],
            "given_label": self._given,
            "predicted_label": np.array(self.class_names)[table["predicted_label"]],
        }
        return columns, 1 - table["is_label_issue"].mean()

    def _find_imbalance(self, threshold: float = 0.1) -> tuple[dict[str, Any], float]:
        labels = self.labels
        frequencies = np.bincount(labels) / len(labels)
        rarest = int(frequencies.argmin())
        is_rarest = labels == rarest
        flagged = is_rarest & (frequencies[rarest] < threshold / len(frequencies))
        score = np.where(is_rarest, frequencies[rarest], 1.0)
        columns = {"flagged": flagged, "score": score, "given_label": self._given}
        return columns, float(frequencies[rarest])

    def get_issues(self, issue_name: str | None = None) -> Any:
        """Return what was found, a row for each row of the data.

        Parameters
        ----------
        issue_name : str, optional
            Only this issue, with further columns.

        Returns
        -------
        pandas.DataFrame
        """
        if issue_name is None:
            return self.issues
        if issue_name not in self._details:
            known = ", ".join(self._details) or "nothing; call find_issues first"
            raise ValueError(f"{issue_name!r} was not looked for; looked for was {known}.")
        return self._details[issue_name]

    def get_issue_summary(self, issue_name: str | None = None) -> Any:
        """Return how many rows have each issue, and a score between 0 (bad) and 1.

        Parameters
        ----------
        issue_name : str, optional
            Only this issue.

        Returns
        -------
        pandas.DataFrame
        """
        if issue_name is None:
            return self.issue_summary
        self.get_issues(issue_name)
        chosen = self.issue_summary["issue_type"] == issue_name
        return self.issue_summary[chosen].reset_index(drop=True)

    def report(
        self,
        *,
        num_examples: int = 5,
        verbosity: int | None = None,
        include_description: bool = True,
        show_summary_score: bool = False,
        show_all_issues: bool = False,
    ) -> None:
        """Print what was found.

        Parameters
        ----------
        num_examples : int, default=5
            How many rows to show of each issue, the worst ones.
        verbosity : int, optional
            Accepted.
        include_description : bool, default=True
            Say what each issue is.
        show_summary_score : bool, default=False
            Show the score of each issue.
        show_all_issues : bool, default=False
            Show issues that no row has, too.
        """
        summary = self.issue_summary
        if not show_all_issues:
            summary = summary[summary["num_issues"] > 0]
        columns = ["issue_type", *(["score"] if show_summary_score else []), "num_issues"]
        paragraphs = [f"{len(self.data)} rows.", summary[columns].to_string(index=False)]
        for name in summary["issue_type"]:
            table = self._details[name]
            worst = table.sort_values(f"{name}_score", kind="stable").head(num_examples)
            head = f"{name}: {ISSUES[name]}" if include_description else name
            paragraphs.append(f"{head}\n{worst.to_string()}")
        print("\n\n".join(paragraphs))  # noqa: T201 (its purpose)


def _columns(result: Any, given: Any, predicted: Any) -> dict[str, Any]:
    """The columns of label issues, from an audit of any kind."""
    return {
        "flagged": result.flagged,
        "score": 1 - result.p_wrong,
        "given_label": given,
        "predicted_label": predicted,
    }


def _build_graph(features: np.ndarray, k: int) -> csr_matrix:
    """Distances to the nearest rows: of angles in many dimensions, as embeddings are compared."""
    metric = "cosine" if features.shape[1] > 3 else "euclidean"
    return kneighbors_graph(features, min(k, len(features) - 1), mode="distance", metric=metric)


def _vote(graph: csr_matrix, labels: np.ndarray, n_classes: int) -> np.ndarray:
    """How many neighbours have each label, as probabilities; each label has one vote to begin."""
    neighbors = graph.indices.reshape(len(labels), -1)
    votes = np.stack([(labels[neighbors] == c).sum(axis=1) for c in range(n_classes)], axis=1) + 1
    return votes / votes.sum(axis=1, keepdims=True)


def _find_null(features: np.ndarray) -> tuple[dict[str, Any], float]:
    if features.dtype.kind == "f":
        missing = np.isnan(features)
    else:
        missing = np.array([[value is None or value != value for value in row] for row in features])
    score = 1 - missing.mean(axis=1)
    return {"flagged": missing.all(axis=1), "score": score}, float(score.mean())


def _find_outliers(graph: csr_matrix, threshold: float = 0.37037) -> tuple[dict[str, Any], float]:
    distances = graph.data.reshape(graph.shape[0], -1).mean(axis=1)
    lower, upper = np.quantile(distances, [0.25, 0.75])
    spread = max(upper - lower, np.finfo(float).tiny)
    score = 1 / (1 + np.maximum(distances - upper, 0) / spread)
    return {"flagged": score < threshold, "score": score}, float(score.mean())


def _find_duplicates(graph: csr_matrix, threshold: float = 0.13) -> tuple[dict[str, Any], float]:
    distances = graph.data.reshape(graph.shape[0], -1)
    neighbors = graph.indices.reshape(graph.shape[0], -1)
    nearest = np.maximum(distances.min(axis=1), 0)
    median = max(float(np.median(nearest)), np.finfo(float).tiny)
    close = distances < threshold * median
    score = nearest / (nearest + median)
    columns = {
        "flagged": close.any(axis=1),
        "score": score,
        "near_duplicate_sets": [row[near] for row, near in zip(neighbors, close, strict=True)],
        "distance_to_nearest_neighbor": nearest,
    }
    return columns, float(score.mean())
