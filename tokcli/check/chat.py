"""TOK501 to TOK516: chat templates, and the prompts they make with this vocabulary."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator

from tokcli.chat.bos import Caller
from tokcli.chat.findings import Finding as ChatFinding
from tokcli.chat.template import ChatTemplate
from tokcli.check.finding import Check, Evidence, Problem, Repair, Rule, Severity, rule
from tokcli.check.judged import Judged
from tokcli.check.known_keys import PREFIX
from tokcli.check.repairs import new_metadata
from tokcli.check.subject import Subject
from tokcli.errors import TemplateDefectError, TemplateRefusalError
from tokcli.tokenizer import HEEDS_ADD_BOS

__all__ = ["RULES"]

TEMPLATE = "tokenizer.chat_template"
NAMES = "tokenizer.chat_templates"
ADD_BOS = PREFIX + "add_bos_token"
FILE = "TEMPLATE.jinja"


def _new_template(subject: Subject, advice: str) -> Repair:
    arguments = ("--chat-template-file", FILE)
    return new_metadata(subject, advice, *arguments, placeholders=(FILE,))


def _named(template: ChatTemplate) -> str:
    return "the chat template" if template.name == "default" else f"chat template {template.name!r}"


@rule("TOK501", "template-not-text", "error", "a chat template is stored as something else")
def template_not_text(subject: Subject) -> Iterator[Problem]:
    """llama.cpp then goes on without a template, and chats in a format of its own choice."""
    for key, entry in subject.metadata.items():
        if key != TEMPLATE and not key.startswith(TEMPLATE + "."):
            continue
        if not isinstance(entry.value, bytes):
            message = (
                f"{key} has type {entry.type_name}, not str: llama.cpp finds no template, and "
                "formats chats in a way of its own"
            )
            repair = _new_template(subject, "write the template as one text")
            yield Problem(message, (subject.at_key(key),), repair)


@rule("TOK502", "template-fails", "error", "a chat template cannot be parsed or rendered")
def template_fails(subject: Subject) -> Iterator[Problem]:
    """With --messages, where it fails on that conversation; else where it fails on all small ones,
    which is a warning: it may rightly want what none of them holds."""
    for template, error in subject.chat.failures:
        severity: Severity = "error"
        if isinstance(error, TemplateDefectError) or subject.conversation is not None:
            message = f"{_named(template)} fails: {error}"
        else:
            severity = "warning"
            message = f"{_named(template)} fails on every conversation that was tried: {error}"
        if isinstance(error, TemplateRefusalError) and subject.conversation is not None:
            repair = Repair("change the messages as the template asks")
        else:
            repair = _new_template(subject, "mend the template")
        yield Problem(message, (subject.at_key(template.key),), repair, severity)


@rule("TOK503", "template-missing", "warning", "the file names a chat template it does not hold")
def template_missing(subject: Subject) -> Iterator[Problem]:
    """tokenizer.chat_templates lists names whose keys are not there."""
    templates = subject.chat.templates
    if templates is None or not templates.missing:
        return
    message = f"{NAMES} names {', '.join(templates.missing)}, and no key holds such a template"
    repair = _new_template(subject, "write the templates anew")
    yield Problem(message, (subject.at_key(NAMES),), repair)


@rule("TOK504", "double-bos", "warning", "the template writes BOS, and the vocabulary adds another")
def double_bos(subject: Subject) -> Iterator[Problem]:
    """Judged for callers that tokenize with add_special and for llama-server, which cuts off the
    template's own."""
    for judged in _first_of_each(subject, lambda caller, expected: caller.count > expected):
        verdict = judged.verdict
        caller = verdict.caller("add_special")
        server = verdict.caller("llama-server")
        text = verdict.bos_text
        spelled = f"{caller.count} {text}" if caller.count != 2 else f"two {text}"
        message = (
            f"{_named(judged.template)} writes {text}, and the vocabulary adds one "
            f"({verdict.asked_by}): a caller that tokenizes with special tokens gets {spelled}"
        )
        message += (
            f"; llama-server gets {server.count}"
            if not server.right
            else "; llama-server cuts off the template's own"
        )
        severity: Severity = "warning" if server.right else "error"
        yield Problem(message, _at_bos(subject, judged), _one_bos(subject, caller), severity)


@rule("TOK505", "no-bos", "error", "the vocabulary asks for a BOS that prompts do not get")
def no_bos(subject: Subject) -> Iterator[Problem]:
    """None is as wrong as two."""
    for judged in _first_of_each(subject, lambda caller, expected: caller.count < expected):
        verdict = judged.verdict
        counts = ", ".join(
            f"{caller.title}: {caller.count}" for caller in verdict.callers if not caller.right
        )
        message = (
            f"prompts of {_named(judged.template)} should begin with {verdict.expected} "
            f"{verdict.bos_text} ({verdict.asked_by}), and do not ({counts})"
        )
        yield Problem(message, (subject.at_key(judged.template.key),), _get_bos(subject, judged))


def _get_bos(subject: Subject, judged: Judged) -> Repair:
    if ADD_BOS in subject.metadata and subject.type not in HEEDS_ADD_BOS:
        advice = (
            "leave add_bos_token out: vocabularies of this type add no BOS, and llama-server cuts "
            "the template's own off for it"
        )
        return new_metadata(subject, advice, "--remove-metadata", ADD_BOS, "--force")
    caller = next(caller for caller in judged.verdict.callers if not caller.right)
    return _new_template(subject, caller.fix or "let the template write {{ bos_token }}")


def _first_of_each(subject: Subject, wrong: Callable[[Caller, int], bool]) -> Iterator[Judged]:
    """The first verdict on each template in which add_special or llama-server is wrong so."""
    seen = set()
    for judged in subject.chat.judged:
        verdict = judged.verdict
        callers = (verdict.caller("add_special"), verdict.caller("llama-server"))
        if judged.template.key not in seen and any(
            wrong(caller, verdict.expected) for caller in callers
        ):
            seen.add(judged.template.key)
            yield judged


def _at_bos(subject: Subject, judged: Judged) -> tuple[Evidence, ...]:
    sources = judged.verdict.caller("add_special").sources
    line = next((source.template_line for source in sources if source.template_line), None)
    key = judged.template.key
    evidence = (Evidence(key, None, subject.offsets.key(key), None, line),)
    return (*evidence, subject.at_key(ADD_BOS)) if ADD_BOS in subject.metadata else evidence


def _one_bos(subject: Subject, caller: Caller) -> Repair:
    advice = caller.fix or ""
    if _off_without_key(subject):
        arguments = ("--remove-metadata", ADD_BOS, "--force")
        return new_metadata(subject, f"{advice}; in the file, leave add_bos_token out", *arguments)
    return _new_template(subject, f"{advice}; or take the BOS out of the template")


def _off_without_key(subject: Subject) -> bool:
    """Whether the vocabulary would add no BOS if the key were not there."""
    if ADD_BOS not in subject.metadata or subject.rules is None:
        return False
    pre = subject.pre_rules
    return not subject.rules.add_bos and not (
        pre is not None and (pre.add_bos or pre.variant == "gemma4")
    )


@rule("TOK516", "no-template", "error", "there is no chat template for the messages")
def no_template(subject: Subject) -> Iterator[Problem]:
    """Only with --messages: models without a template are fine for anything else."""
    if subject.chat.no_choice is not None:
        repair = _new_template(subject, "put in the model's chat template")
        yield Problem(subject.chat.no_choice, (Evidence(TEMPLATE),), repair)


def _from_verdict(code: str) -> Check:
    """The check that passes on what the verdict finds under `code`, once for each template."""

    def check(subject: Subject) -> Iterator[Problem]:
        seen = set()
        for judged in subject.chat.judged:
            for found in judged.verdict.findings:
                if found.code != code:
                    continue
                what = next(
                    (found.evidence[k] for k in ("path", "marker") if k in found.evidence), ""
                )
                token = found.evidence.get("token", "")
                if (judged.template.key, what, token) in seen:
                    continue
                seen.add((judged.template.key, what, token))
                yield Problem(
                    found.message,
                    (_evidence(subject, judged, found),),
                    _repair(subject, found),
                    found.severity,
                )

    return check


def _evidence(subject: Subject, judged: Judged, found: ChatFinding) -> Evidence:
    key = judged.template.key
    line = found.evidence.get("line")
    text = found.evidence.get("marker", found.evidence.get("token"))
    return Evidence(
        key,
        None,
        subject.offsets.key(key),
        text.encode("utf-8", "surrogateescape") if isinstance(text, str) else None,
        line if isinstance(line, int) else None,
    )


def _repair(subject: Subject, found: ChatFinding) -> Repair:
    tool = "gguf-new-metadata "
    if not found.fix.startswith(tool):
        return Repair(found.fix)
    *arguments, _, _ = shlex.split(found.fix[len(tool) :])
    arguments = [word.strip("<>") for word in arguments]
    by_id = arguments[0] == "--special-token-by-id"
    advice = "name it as one that ends a turn" if by_id else "name the model's BOS"
    placeholders = () if by_id else (arguments[-1],)
    return new_metadata(subject, advice, *arguments, placeholders=placeholders)


_VERDICT_RULES: tuple[tuple[str, str, Severity, str], ...] = (
    ("TOK506", "marker-not-a-token", "warning", "the template writes a marker that is no token"),
    ("TOK507", "marker-typed-normal", "error", "the template writes a token that is typed normal"),
    ("TOK508", "turn-end-not-eog", "error", "what ends a turn does not end generation"),
    ("TOK509", "bos-not-special", "error", "the template's bos_token is ordinary text"),
    ("TOK510", "bos-after-text", "error", "the template writes white space before its BOS"),
    ("TOK511", "no-bos-token", "warning", "the template prints a bos_token that is not there"),
    ("TOK512", "double-eos", "warning", "the template writes EOS, and the vocabulary adds another"),
    (
        "TOK513",
        "eos-after-prompt",
        "error",
        "the vocabulary adds EOS where the answer should begin",
    ),
    (
        "TOK514",
        "template-needs-tools",
        "warning",
        "the template fails in transformers without tools",
    ),
    ("TOK515", "control-in-message", "warning", "a message spells a control token"),
)

RULES = (
    template_not_text,
    template_fails,
    template_missing,
    double_bos,
    no_bos,
    *(
        Rule(id, code, severity, summary, _from_verdict(code))
        for id, code, severity, summary in _VERDICT_RULES
    ),
    no_template,
)
