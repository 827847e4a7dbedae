"""Print how tokcli compares with llama.cpp and Hugging Face's tokenizers on your text.

The reference is the program that LLAMA_TOKENIZE names for whole commands, and the llama.cpp library
of the `oracle` extra for the rest; what is missing leaves its column empty. Run nothing else
meanwhile: the two sides take turns, and medians are shown.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import sys
from pathlib import Path

from tests.benchmarks.sections import SECTIONS, Plan
from tests.benchmarks.table import document
from tests.vocabularies import BUILT_IN
from tokcli._version import __version__


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    add = parser.add_argument
    add("--text", required=True, metavar="FILE", help="natural text, .gz or not; some MB of it")
    add(
        "--vocabs",
        metavar="DIR",
        help="vocabularies as GGUF files, called NAME.gguf or ggml-vocab-NAME.gguf "
        "(default: the built-in GPT-2 one alone)",
    )
    add("--only", action="append", choices=[*SECTIONS], help="measure this alone; repeatable")
    add("--models", metavar="NAME,...", help="measure these vocabularies alone")
    add("--repeat", type=int, default=3, metavar="N", help="runs a median is made of (default: 3)")
    add(
        "--growth",
        default="1,10,100",
        metavar="MB,...",
        help="sizes of text for the growth table (default: 1,10,100)",
    )
    add("--word", type=float, default=1, metavar="MB", help="size of one word (default: 1)")
    add("--ids", type=int, default=1_000_000, help="ids to detokenize (default: 1000000)")
    add("--patience", type=float, default=300, metavar="S", help="longest time for one word")
    return parser


def _models(folder: str | None) -> dict[str, str]:
    if folder is None:
        return {"gpt-2": str(BUILT_IN)}
    return {
        path.stem.removeprefix("ggml-vocab-"): str(path)
        for path in sorted(Path(folder).glob("*.gguf"))
    }


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def main() -> None:
    """Measure, telling stderr what is being done, and print the table."""
    options = _parser().parse_args()
    models = _models(options.vocabs)
    if options.models:
        models = {name: models[name] for name in options.models.split(",") if name in models}
    plan = Plan(
        text=options.text,
        models=models,
        llama_tokenize=os.environ.get("LLAMA_TOKENIZE") or None,
        repeat=options.repeat,
        growth=tuple(int(float(size) * 1e6) for size in options.growth.split(",")),
        word=int(options.word * 1e6),
        ids=options.ids,
        patience=options.patience,
    )
    results = []
    for name in options.only or SECTIONS:
        section = SECTIONS[name]
        print(f"{section.title} ...", file=sys.stderr)
        results.append((section.title, section.names, section.measure(plan)))
    heading = (
        f"tokcli {__version__}, Python {platform.python_version()}, {_processor()} "
        f"({os.cpu_count()} cores), {platform.system()}, {datetime.date.today()}"
    )
    print(document(heading, results))


if __name__ == "__main__":
    main()
