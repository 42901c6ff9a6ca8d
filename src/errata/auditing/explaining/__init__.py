"""Why one row is doubted: what each model says of it, the rows around it, and its columns.

1. ``_by_fold``: the models of the audit, fitted once more so that they can be asked about rows
   that do not exist
2. ``_left_out``: what they say of the row without the value of each column
3. ``_explainer``: both for one row of the audit
4. ``_explanation``: the answer, in words, as HTML and as a picture
"""

from ._explainer import Explainer, chosen_row
from ._explanation import RowExplanation

__all__ = ["Explainer", "RowExplanation", "chosen_row"]
