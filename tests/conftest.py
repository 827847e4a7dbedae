"""What all tests share: where the data is, and how long Hypothesis looks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import vocabularies

CONFORMANCE_VARIABLE = "TOKCLI_CONFORMANCE"

# A profile is chosen with HYPOTHESIS_PROFILE; "long" is for hunting, not for every change.
for name, max_examples in (("dev", 30), ("ci", 300), ("long", 20_000)):
    settings.register_profile(
        name,
        max_examples=max_examples,
        deadline=None,
        print_blob=True,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "dev"))


@pytest.fixture(scope="session")
def built_in_vocabulary() -> Path:
    """The GPT-2 vocabulary that is part of the package."""
    return vocabularies.BUILT_IN


@pytest.fixture(scope="session")
def conformance() -> Path:
    """The folder with the reference's answers for real vocabularies."""
    folder = os.environ.get(CONFORMANCE_VARIABLE)
    if not folder:
        pytest.skip(f"{CONFORMANCE_VARIABLE} does not name the folder with the recorded answers")
    return Path(folder)


@pytest.fixture(scope="session")
def tiny_vocabularies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The file of each tiny vocabulary that answers are recorded for."""
    folder = tmp_path_factory.mktemp("vocabularies")
    return {name: vocabularies.path_of(name, folder) for name in vocabularies.TINY}
