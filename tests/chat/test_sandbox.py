"""Templates that mean harm, or that are broken: every one ends in a TemplateError, and soon."""

from __future__ import annotations

import time

import pytest

from tests.chat.samples import USER
from tokcli.chat import budget
from tokcli.chat.budget import TimeLimit
from tokcli.chat.compiling import compiled
from tokcli.chat.render import render, render_chat
from tokcli.errors import TemplateDefectError, TemplateError

REPEATED = "{%% set ns = namespace(x=['a']) %%}{%% for i in range(60) %%}%s{%% endfor %%}{{ ns.x }}"

BOMBS = {
    "repetition": "{{ 'a' * 10**9 }}",
    "repetition from the left": "{{ 10**9 * [1] }}",
    "power": "{{ 10 ** 10 ** 9 }}{{ 2 ** 99999 }}",
    "squares": "{% set ns = namespace(x=3) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}"
    "{% endfor %}",
    "range": "{{ range(10**9) | list }}",
    "loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}{% endfor %}",
    "loops with a condition": "{% for a in range(9999) %}{% for b in range(9999) if b < 0 %}"
    "{% endfor %}{% endfor %}",
    "recursive loop": "{% for i in range(9999) recursive %}{{ loop(range(9999)) }}{% endfor %}",
    "macro that calls itself": "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    "macro that doubles": "{% macro m(n) %}{% if n %}{{ m(n - 1) ~ m(n - 1) }}{% endif %}"
    "{% endmacro %}{{ m(60) }}",
    "doubling by ~": REPEATED % "{% set ns.x = ns.x ~ ns.x %}",
    "doubling by +": REPEATED % "{% set ns.x = ns.x + ns.x %}",
    "doubling by a block": REPEATED % "{% set b %}{{ ns.x }}{{ ns.x }}{% endset %}"
    "{% set ns.x = b %}",
    "lists of lists": REPEATED % "{% set ns.x = [ns.x, ns.x] %}",
    "tuples of tuples": REPEATED % "{% set ns.x = (ns.x, ns.x) %}",
    "dicts of dicts": REPEATED % "{% set ns.x = dict(a=ns.x, b=ns.x) %}",
    "arguments of a macro": "{% macro k(ns) %}{% set ns.x = varargs %}{% endmacro %}"
    + REPEATED % "{{ k(ns, ns.x, ns.x) }}",
    "cyclers": REPEATED % "{% set ns.x = cycler(ns.x, ns.x).items %}",
    "slices": "{% set s = 'a' * 4000000 %}{% set ns = namespace(x=[]) %}{% for i in range(999) %}"
    "{% set ns.x = ns.x + [s[1:]] %}{% endfor %}",
    "output": "{% for i in range(99999) %}{{ 'a' * 1000 }}{% endfor %}",
    "center": "{{ 'a' | center(1000000000) }}",
    "ljust": "{{ 'a'.ljust(10**9) }}",
    "expandtabs": "{{ ('\\t' * 9999).expandtabs(9999) }}",
    "to_bytes": "{{ (1).to_bytes(10**9, 'big') }}",
    "replace": "{{ ('a' * 9999).replace('a', 'b' * 9999) }}",
    "replace nothing": "{{ ('a' * 9999) | replace('', 'b' * 9999) }}",
    "join": "{{ ('b' * 9999).join(range(9999) | map('string') | list) }}",
    "join lazily": "{{ range(9999) | join('b' * 9999) }}",
    "translate": "{{ ('a' * 9999).translate({97: 'b' * 9999}) }}",
    "batch": "{{ [1] | batch(10**9, 'x') | list }}",
    "slice": "{{ [1] | slice(10**9) | list }}",
    "indent": "{{ 'a\\na' | indent(10**9) }}",
    "indent by text": "{{ ('\\n' * 9999) | indent('a' * 9999) }}",
    "round": "{{ 1.5 | round(10**9, 'floor') }}",
    "tojson indent": "{{ [1] | tojson(indent=10**9) }}",
    "tojson separators": "{{ [1] | tojson(separators=(',' * 99999, ':')) }}",
    "% width": "{{ '%1000000000d' % 1 }}",
    "% width as an argument": "{{ '%*d' % (10**9, 1) }}",
    "% precision": "{{ '%.999999999f' | format(1) }}",
    "format width": "{{ '{:>1000000000}'.format(1) }}",
    "format width as an argument": "{{ '{:{}}'.format(1, 10**9) }}",
    "format width behind a digit that fills": "{{ '{:1>900000000}'.format(1) }}",
    "format width behind a slice": "{{ '{0[:1]:1>900000000}'.format({':1': 1}) }}",
    "format width in Arabic digits": "{{ '{:>٩٠٠٠٠٠٠٠٠}'.format(1) }}",
    "format width behind zeros": "{{ '{:>0000000000900000000}'.format(1) }}",
    "format width as a text": "{{ '{0:{1}}'.format(1, '>900000000') }}",
    "format width made of fields": "{{ '{0:{1}{1}{1}{1}}'.format(1, '99') }}",
    "format width that is formatted": "{{ '{0:{1:9>9}}'.format(1, 9) }}",
    "format width in a list": "{{ '{0:{1[0]}}'.format(1, [10**9]) }}",
    "many format widths": "{{ ('{0:9999}' * 9999).format(1) }}",
    "format_map, filled": "{{ '{a:1>900000000}'.format_map({'a': 1}) }}",
    "% width behind nested parentheses": "{{ '%((a))900000000d' % {'(a)': 1} }}",
    "% width behind %%": "{{ '%%(%900000000d' % 1 }}",
    "% width of bytes": "{{ 'a%900000000d'.encode() % 1 }}",
    "many % widths": "{{ ('%(a)9999d' * 9999) % {'a': 1} }}",
    "strftime behind a parenthesis": "{{ strftime_now('%(%900000000Y)') }}",
    "format_map": "{{ '{a:>1000000000}'.format_map({'a': 1}) }}",
    "format again and again": "{{ ('{0}' * 9999).format('b' * 9999) }}",
    "strftime": "{{ strftime_now('%1000000000Y') }}",
    "urlize": "{{ ('http://a.' * 99999) | urlize }}",
    "map": "{{ range(99999) | map('center', 9999) | list | length }}",
}


@pytest.mark.parametrize("template", BOMBS.values(), ids=BOMBS)
def test_bombs_are_refused(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_STEPS", 200_000)
    monkeypatch.setattr(budget, "MAX_TOTAL", 64 << 20)
    with pytest.raises(TemplateError, match=r"^chat template.*refused"):
        render_chat(template, USER)


def test_time_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_STEPS", 10**12)  # a quick machine takes them all in no time
    monkeypatch.setattr(budget, "MAX_SECONDS", 0.01)
    with pytest.raises(TemplateError, match=r"refused, it takes more than 0\.01 seconds"):
        render_chat(BOMBS["loops"], USER)


@pytest.mark.parametrize(
    "template",
    [
        ("{{" + "-" * 80 + "a}}") * 200,
        ("{{ a" + "|e" * 80 + "}}") * 100,
        ("{{ a" + ".a" * 80 + "}}") * 100,
        ("{{ a" + "[a:]" * 80 + "}}") * 50,
    ],
    ids=["signs", "filters", "attributes", "slices"],
)
def test_compiling_takes_time_with_the_length_alone(template: str) -> None:
    start = time.process_time()
    compiled(template, TimeLimit())
    assert time.process_time() - start < 5  # half a minute where depth counts


def test_compiling_stops_in_time_and_may_have_more_the_next_time() -> None:
    template = "{% for a in a %}" * 15 + "{{ a }}" * 2000 + "{% endfor %}" * 15
    with pytest.raises(TemplateDefectError, match=r"refused, it takes more than 0\.01 seconds"):
        compiled(template, TimeLimit(0.01))
    assert compiled(template, TimeLimit(60)) is compiled(template, TimeLimit(0))


def test_renderings_that_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "MAX_STEPS", 10**12)
    limit = TimeLimit(0.5)
    assert render("{{ 1 }}", USER, limit=limit).text == "1"
    time.sleep(0.6)  # what passes between two renderings does not count
    assert render("{{ 2 }}", USER, limit=limit).text == "2"
    for _ in range(2):
        with pytest.raises(TemplateDefectError, match=r"it takes more than 0\.5 seconds"):
            render(BOMBS["loops"], USER, limit=limit)


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ messages.__class__.__base__ }}",
        "{{ (''|attr('__class__')).mro() }}",
        "{{ '{0.__class__.__mro__}'.format('') }}",
        "{{ raise_exception.__globals__.x }}",
        "{{ strftime_now.__self__.x }}",
        "{{ dict.__call__.__func__ }}",
        "{{ cycler.__init__.__globals__ }}",
        "{{ joiner.__init__.__globals__.x }}",
        "{{ self.__init__.__globals__ }}",
        "{{ messages.append(1) }}",
        "{{ messages[0].update(role='x') }}",
        "{% set ns = namespace(__class__=1) %}",
        "{% set ns = namespace() %}{% set ns._x = 1 %}",
        "{% include 'x' %}",
        "{% import 'x' as y %}",
    ],
)
def test_internals_are_out_of_reach(template: str) -> None:
    with pytest.raises(TemplateError):
        render_chat(template, USER)


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("a\n{% if %}", "chat template, line 2: cannot be parsed: Expected an expression"),
        ("{{ 'a }}", "chat template, line 1: cannot be parsed: unexpected char"),
        ("{% nonsense %}", "line 1: cannot be parsed: Encountered unknown tag 'nonsense'"),
        ("\n\n{{ foo.bar }}", "chat template, line 3: 'foo' is undefined"),
        ("{{ 1 + 'a' }}", "line 1: unsupported operand type(s) for +"),
        ("{% for x in none %}{% endfor %}", "'NoneType' object is not iterable"),
        ("{{ raise_exception() }}", "raise_exception() missing 1 required positional argument"),
        ("{{ raise_exception('\x1b[31m\nno') }}", "line 1: \\x1b[31m\\nno (the template itself"),
        ("{{ raise_exception(7) }}", "line 1: 7 (the template itself"),
        ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "cannot be compiled, it nests too"),
        ("{% if a %}" + "{% elif a %}" * 7000 + "{% endif %}", "is too large: split long chains"),
        ("{{ " + "1+" * 5000 + "1 }}", "cannot be compiled, it nests too deeply or is too large"),
        ("{{ '%(a' % {'a': 1} }}", "line 1: incomplete format key: '%(' without its ')'"),
        ("{{ '{'.format(1) }}", "line 1: Single '{' encountered in format string"),
        ("{% for x in [1] %}" * 30 + "{% endfor %}" * 30, "cannot be compiled"),
        ("{% if 1 %}" * 200 + "{% endif %}" * 200, "cannot be compiled"),
        ("{{ strftime_now(1) }}", "line 1: "),
        ("x" * ((1 << 17) + 1), "131073 characters, and no more than 131072 are compiled"),
    ],
)
def test_errors_say_what_and_where_in_one_line(template: str, said: str) -> None:
    with pytest.raises(TemplateError) as caught:
        render_chat(template, USER)
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ '{1:1>5}|{0[:1]:1>3}'.format({':1': 7}, 8) }}", "11118|117"),
        ("{{ '{{{0:>4}}} {a!r:0<6.2}'.format(1, a='xyz') }}", "{   1} 'x0000"),
        ("{{ '%((a))04d%%(%(b)-3s)' % {'(a)': 1, 'b': 2} }}", "0001%(2  )"),
        ("{{ '100%% of %.2f, %5s' | format(1.005, 'x') }}", "100% of 1.00,     x"),
        ("{{ '{} 900000000 %900000000d'.format(1) }}", "1 900000000 %900000000d"),
    ],
)
def test_formats_within_the_bounds(template: str, text: str) -> None:
    assert render_chat(template, USER) == text


@pytest.mark.parametrize(
    "template",
    [
        "{{ ('{' ~ ':' * 400000).format(1) }}",
        "{{ ('{[' * 400000).format(1) }}",
        "{{ ('%(' * 400000) % {'a': 1} }}",
        "{{ ('%' ~ '0' * 400000) % 1 }}",
    ],
)
def test_broken_formats_are_read_in_one_pass(
    template: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(budget, "MAX_SECONDS", 60.0)
    start = time.process_time()
    with pytest.raises(TemplateError, match=r"line 1: .*(format|expected|width)"):
        render_chat(template, USER)
    assert time.process_time() - start < 5  # backtracking takes hours


def test_a_namespace_that_holds_itself_is_printed() -> None:
    template = "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}"
    assert render_chat(template, USER) == "<Namespace>"


def test_a_long_conversation_is_within_the_bounds() -> None:
    template = (
        "{% set ns = namespace(text='') %}{% for m in messages if messages | length %}"
        "{% set ns.text = ns.text + m.content ~ '\\n' %}{% endfor %}{{ ns.text }}"
    )
    messages = [{"role": "user", "content": "x" * 500}] * 1000
    assert len(render_chat(template, messages)) == 501_000
