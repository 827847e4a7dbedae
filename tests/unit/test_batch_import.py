from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

SEEN = """
import json, os, sys
seen = []
class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "numpy":
            seen.append(os.environ.get("OPENBLAS_THREAD_TIMEOUT"))
sys.meta_path.insert(0, Watch())
import tokcli
tokcli.load().tokenize("How are you? " * 10)
tokcli.load().tokenize(("ab" * 10_000 + " ") * 15)
assert not seen
tokcli.load().tokenize("How are you? " * 100_000)
print(json.dumps([*seen, os.environ.get("OPENBLAS_THREAD_TIMEOUT")]))
"""


@pytest.mark.parametrize(("given", "seen"), [(None, ["20", None]), ("8", ["8", "8"])])
def test_numpy_is_imported_for_many_words_and_its_idle_threads_spin_little(
    given: str | None, seen: list[str | None]
) -> None:
    environment = {name: os.environ[name] for name in os.environ if "OPENBLAS" not in name}
    if given is not None:
        environment["OPENBLAS_THREAD_TIMEOUT"] = given

    found = subprocess.run(
        [sys.executable, "-c", SEEN], env=environment, check=True, capture_output=True
    )

    assert json.loads(found.stdout) == seen
