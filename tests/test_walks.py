import numpy as np

import errata
import walks


def test_a_walk_holds_what_a_call_enters_in_the_order_of_the_visit():
    seen = walks.follow(lambda: errata.noise.flip_labels(np.arange(8) % 2, 0.25, random_state=0))
    first = seen.index(("noise/_inject.py", "flip_labels"))
    assert first < seen.index(("_validation.py", "check_labels"))
    assert walks.follow(lambda: None) == []
