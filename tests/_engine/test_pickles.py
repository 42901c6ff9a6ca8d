import subprocess
import sys

import pytest

from errata._engine._shared import make_opener, pack_call

cloudpickle = pytest.importorskip("cloudpickle", reason="cloudpickle is not installed")


def test_a_call_is_made_elsewhere():
    assert make_opener()(pack_call(max, 3, 5)) == 5


def test_what_opens_a_call_is_known_where_errata_is_not():
    code = (
        "import pickle, sys\n"
        "sys.modules['errata'] = None\n"
        "opener, call = map(bytes.fromhex, sys.argv[1:])\n"
        "print(pickle.loads(opener)(call))"
    )
    sent = cloudpickle.dumps(make_opener()).hex(), pack_call(max, 3, 5).hex()
    found = subprocess.run([sys.executable, "-c", code, *sent], capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("5", "")
