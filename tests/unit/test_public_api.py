from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys

import pytest

import tokcli

PUBLIC = {
    "Explanation", "GgufError", "TemplateError", "TokcliError", "TokenIdError", "TokenizeError",
    "Tokenizer", "UsageError", "Vocab", "VocabError", "__version__", "load", "render_chat",
}  # fmt: skip

# What the command line and the renderers may import, and the engine may not.
OF_THE_COMMAND_LINE = ("typer", "rich")
# What chat templates and tests need besides, and tokenizing does not.
HEAVY = (*OF_THE_COMMAND_LINE, "regex", "gguf", "jinja2", "numpy")


def engine_modules() -> list[str]:
    found = pkgutil.walk_packages(tokcli.__path__, "tokcli.")
    names = [module.name for module in found if not module.name.endswith("__main__")]
    # What is made with numpy is for much text alone.
    apart = ("tokcli.cli", "tokcli.render", "tokcli.batch")
    return [name for name in names if not name.startswith(apart)]


def modules_after(code: str) -> set[str]:
    """The modules that a fresh interpreter holds once it has run `code`."""
    script = f"{code}\nimport sys; print(*sorted(sys.modules), sep=chr(10))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    return set(done.stdout.split())


def test_all_names_the_public_api() -> None:
    assert set(tokcli.__all__) == PUBLIC
    assert list(tokcli.__all__) == sorted(tokcli.__all__)
    for name in tokcli.__all__:
        assert getattr(tokcli, name) is not None


def test_dir_names_the_public_api_before_it_is_imported() -> None:
    done = modules_after("import tokcli; print('\\n'.join(dir(tokcli)))")

    assert done >= PUBLIC | {"__doc__", "__name__"}
    assert "tokcli.tokenizer" not in done


def test_what_explain_returns_can_be_named() -> None:
    assert isinstance(tokcli.load().explain("How are"), tokcli.Explanation)


def test_other_names_do_not_exist() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = tokcli.nonsense


def test_each_module_s_all_exists() -> None:
    for name in engine_modules():
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            assert hasattr(module, public), f"{name}.{public}"


def test_the_engine_imports_nothing_heavy() -> None:
    chat = {name for name in engine_modules() if name.startswith("tokcli.chat")}
    tokenizing = set(engine_modules()) - chat

    loaded = modules_after("\n".join(f"import {name}" for name in sorted(tokenizing)))
    assert "tokcli.algorithms.bpe" in loaded
    assert loaded.isdisjoint(HEAVY)
    assert not any(name.startswith(("tokcli.cli", "tokcli.render")) for name in loaded)

    loaded = modules_after("\n".join(f"import {name}" for name in sorted(chat)))
    assert "tokcli.chat.render" in loaded
    assert loaded.isdisjoint(OF_THE_COMMAND_LINE)
    assert not any(name.startswith(("tokcli.cli", "tokcli.render")) for name in loaded)


def test_tokenizing_and_detokenizing_import_nothing_heavy() -> None:
    code = """
import tokcli
tok = tokcli.load()
assert tok.tokenize("How are") == [2437, 389]
assert tok.detokenize([2437, 389]) == b"How are"
assert tok.explain("日本 12").ids
"""
    assert modules_after(code).isdisjoint(HEAVY)


def test_importing_tokcli_imports_no_module_of_its_engine() -> None:
    loaded = {name for name in modules_after("import tokcli") if name.startswith("tokcli")}

    assert loaded == {"tokcli", "tokcli._version"}
