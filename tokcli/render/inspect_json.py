"""An inspection as one JSON document."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tokcli.gguf_metadata import Metadata
from tokcli.inspection import Inspection, VocabReport
from tokcli.render.gguf_values import json_entry
from tokcli.vocab import Provenance

__all__ = ["inspection_document", "keys_document"]


def inspection_document(inspection: Inspection, keys: Iterable[str]) -> dict[str, Any]:
    """Everything `tokcli inspect` shows; `keys` are those to list."""
    report = inspection.report
    return {
        **keys_document(inspection.metadata, keys),
        "tokenizer": None if report is None else _tokenizer(report),
        "templates": [template._asdict() for template in inspection.templates],
        "template_error": inspection.template_error,
        "error": None if inspection.error is None else str(inspection.error),
    }


def keys_document(metadata: Metadata, keys: Iterable[str]) -> dict[str, Any]:
    """The file's header and the given keys."""
    return {
        "file": {
            "path": _text(metadata.path.encode("utf-8", "surrogateescape")),
            "version": metadata.version,
            "byte_order": metadata.byte_order,
            "tensor_count": metadata.tensor_count,
        },
        "keys": [
            json_entry(_text(key.encode("utf-8", "surrogateescape")), metadata[key]) for key in keys
        ],
    }


def _tokenizer(report: VocabReport) -> dict[str, Any]:
    vocab = report.vocab
    pre = report.pre_names
    return {
        "model": vocab.model,
        "type": vocab.type.label,
        "pre": None if pre is None else vocab.pre,
        "pre_source": None if report.pre_source is None else _source(report.pre_source),
        "pre_same_rules": None if pre is None else pre.same_rules,
        "pre_same_regexes": None if pre is None else pre.same_regexes,
        "token_count": len(vocab),
        "types": report.types,
        "merge_count": len(vocab.merges),
        "settings": {
            row.name: {"value": row.value, **_source(row.source), "remark": row.remark}
            for row in report.settings
        },
        "special": {
            row.role: {"id": row.id, **_bytes("text", row.text), **_source(row.source)}
            for row in report.special
        },
        "end_of_generation": [
            {"id": id, **_bytes("text", vocab.texts[id])} for id in sorted(vocab.eog_ids)
        ],
        "type_overrides": [
            {
                "id": row.id,
                **_bytes("text", row.text),
                "type": row.type,
                "attributes": row.attributes,
            }
            for row in report.overrides
        ],
        "notes": [note._asdict() for note in vocab.notes],
    }


def _source(source: Provenance) -> dict[str, str]:
    return {"source": source.kind, "detail": source.detail}


def _bytes(name: str, data: bytes | None) -> dict[str, str | None]:
    if data is None:
        return {name: None}
    try:
        return {name: data.decode()}
    except UnicodeDecodeError:
        return {name: None, f"{name}_bytes": data.hex()}


def _text(data: bytes) -> str:
    return data.decode("utf-8", "backslashreplace")
