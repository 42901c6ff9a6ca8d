"""Metadata routing as in scikit-learn: what else is passed to ``fit`` goes to whom asked for it."""

from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
    process_routing,
)
from sklearn.utils.validation import has_fit_parameter

from ._compat import take_rows_of_params


def make_router(owner: Any, **parts: Any) -> MetadataRouter:
    """The router of an estimator that takes metadata itself and hands the rest to its parts.

    ``parts`` are estimators, whose ``fit`` is called by ``fit``, or a ``splitter``, whose ``split``
    is; None where there is no such part.
    """
    router = MetadataRouter(owner=owner).add_self_request(owner)
    for name, part in parts.items():
        if part is None:
            continue
        callee = "split" if name == "splitter" else "fit"
        mapping = MethodMapping().add(caller="fit", callee=callee)
        router.add(**{name: part}, method_mapping=mapping)
    return router


class WrapperMixin:
    """An estimator around another, that of ``_get_wrapped``: it accepts what that one accepts."""

    def _get_wrapped(self) -> Any:
        """The estimator to wrap: the one given, or the default of the class."""
        raise NotImplementedError

    def _checks(self) -> dict[str, Any]:
        sparse = get_tags(self._get_wrapped()).input_tags.sparse
        return {"accept_sparse": "csr" if sparse else False, "order": "C"}

    def get_metadata_routing(self) -> MetadataRouter:
        """Which metadata this estimator takes, and which it hands to the one it wraps."""
        return make_router(self, estimator=self._get_wrapped())

    def __sklearn_tags__(self) -> Any:
        """Declare to scikit-learn that what the wrapped estimator accepts is accepted."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        accepts = get_tags(self._get_wrapped()).input_tags
        tags.input_tags.sparse = accepts.sparse
        tags.input_tags.allow_nan = accepts.allow_nan
        return tags


def route_fit(owner: Any, params: dict[str, Any], part: str = "estimator") -> dict[str, Any]:
    """The metadata among ``params`` that a part of ``owner`` asked for."""
    if not params:
        return {}
    if not get_config()["enable_metadata_routing"]:
        raise TypeError(
            f"{type(owner).__name__}.fit got {', '.join(sorted(params))}, which it hands to its "
            f"{part} only with sklearn.set_config(enable_metadata_routing=True)."
        )
    return dict(process_routing(owner, "fit", **params)[part]["fit"])


def take_params_of_rows(params: dict[str, Any], n: int, rows: np.ndarray) -> dict[str, Any]:
    """The metadata of some of ``n`` rows; a value that is not one per row stays as it is."""
    return take_rows_of_params(np.empty((n, 0)), params, indices=rows)


def takes_sample_weight(estimator: Any) -> bool:
    """Whether ``fit`` has the argument, or hands it on by metadata routing, as pipelines do."""
    if has_fit_parameter(estimator, "sample_weight"):
        return True
    if not get_config()["enable_metadata_routing"]:  # what was requested of it is not handed on
        return False
    return "sample_weight" in get_routing_for_object(estimator).consumes("fit", ["sample_weight"])
