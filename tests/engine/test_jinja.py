"""What templates can say means what it means in Jinja: expression by expression, beside the engine of `transformers`."""

import json
from pathlib import Path
from typing import Any

import pytest
from transformers.utils.chat_template_utils import _compile_jinja_template

from .ours import ask

TOKENIZER = {
    "added_tokens": [{"id": 1, "content": "<end>"}],
    "decoder": {"type": "ByteLevel"},
    "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []},
}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": " Hé <b>\n\n x\t", "n": 3, "f": 2.50, "t": True, "l": [3, "a", None, [1.0]], "m": {"b": 1, "a": "é"}},
    {"role": "tool", "content": "", "items": 7, "o": [{"k": "b", "v": 2}, {"k": "A", "v": 1}, {"k": "c"}]},
]
# Of the first message, as `m`, and the second, as `o`; two semicolons between them.
EXPRESSIONS = r"""
m ;; m.l ;; m.t ~ none ~ m.f ;; [m.n, m.f, -0.0, 1e16, 1e-7, 123456789012345678] ;; ('x',) ;; () ;; {}
'it\'s "x"' ~ [ 'it\'s' ] ;; 1 + 2 * 3 ;; 7 // 2 ;; -7 // 2 ;; 7 % 3 ;; -7 % 3 ;; 7 / 2 ;; 2 ** 10 ;; 7.5 // 2
7.5 % 2 ;; 1 - 2 - 3 ;; -3 | abs ;; +4 ;; true + 1 ;; 'a' * 3 ;; [0] * 2 ;; 'a' + 'b' ~ 'c'
(1, 2) + (3,) ;; '%s-%d-%r-%%' % ('a', 5, 'b') ;; '%s' % 1.5 ;; not 1 == 2 ;; not none ;; 1 < 2 < 3 ;; 1 < 2 > 3
1 == 1.0 ;; true == 1 ;; 'a' != 'b' ;; none == none ;; [1] == [1.0] ;; {'a': 1} == {'a': 1.0} ;; '' or 'b'
0 and x ;; 1 and 'c' ;; x or 'd' ;; 'a' if x else 'b' ;; 'a' if x ;; ('a' if 1 else 'b') ~ 'c' ;; 'é' in m.content
3 in m.l ;; 'k' not in m ;; none in m.l ;; 'a' in m.m ;; 'x' in x ;; m.l[0] ;; m.l[-1] ;; m.l[9] ;; m['n']
m.l[1:] ;; m.l[:-2] ;; m.l[::-1] ;; m.l[1:3:2] ;; m.content[1:3] ;; m.content[-1] ;; m.content[::-2] ;; m.l[5:]
m.l[-9:2] ;; x ;; m.zz ;; m.zz is undefined ;; none.x ;; 5 .x ;; m.l.x
o.items is callable ;; o['items'] ;; m.get('n') ;; m.get('zz') ;; m.get('zz', 4) ;; m is mapping ;; m.l is sequence
m.l is iterable ;; none is iterable ;; 'x' is iterable ;; 5 is iterable ;; m is sequence ;; 'x' is string
5 is number ;; true is number ;; 5 is integer ;; true is integer ;; 5.0 is float ;; true is boolean ;; true is true
1 is true ;; none is none ;; x is none ;; x is sequence ;; x is iterable ;; 3 is odd ;; 4 is even
9 is divisibleby 3 ;; 2 is in [1, 2] ;; 'a' is eq 'a' ;; 1 is ne 2 ;; 1 is lt 2 ;; 'ab' is lower ;; 'AB' is upper
range is callable ;; 1 is sameas 1 ;; true is sameas true ;; 'x' is not string ;; 3 is not odd and true
(1 is defined) ~ (x is not defined) ;; m.content.strip() ~ '|' ;; m.content.lstrip() ;; m.content.rstrip() ~ '|'
'xxaxx'.strip('x') ;; 'a,b,,c'.split(',') ;; 'a b  c '.split() ;; 'a b c'.split(' ', 1) ;; 'a-b-c'.rsplit('-', 1)
' a  b  c '.split(none, 1) ;; 'abc'.upper() ~ 'ABC'.lower() ;; 'hello wORLD it\'s'.title() ;; 'hELLO'.capitalize()
'abc'.startswith('ab') ;; 'abc'.endswith(('x', 'c')) ;; 'aXbX'.replace('X', '') ;; 'aXbX'.replace('X', 'y', 1)
'ab'.replace('', '-') ;; 'a\nb\r\nc\n\n'.splitlines() ;; '-'.join(['a', 'b']) ;; 'abcabc'.find('c')
'abcabc'.rfind('c') ;; 'abc'.find('x') ;; 'abc'.index('b') ;; 'aaa'.count('a') ;; 'é1'.isalnum() ;; '12'.isdigit()
''.isdigit() ;; ' '.isspace() ;; 'aB'.isalpha() ;; '{} {} {{x}}'.format('a', 1) ;; '{1}{0}'.format('a', 'b')
'{n}!'.format(n=none) ;; 'prefix-x'.removeprefix('prefix-') ;; 'x.py'.removesuffix('.py') ;; 'aB'.islower()
'AB1'.isupper() ;; m.m.items() | list ;; m.m.keys() | list ;; m.m.values() | list ;; m.m | list
m.m | items | list ;; m.m | dictsort ;; m.m | length ;; x | length ;; 'héé' | length ;; m.content | trim
'xax' | trim('x') ;; [1, 'a', none] | join('-') ;; o.o | map(attribute='k') | join ;; ['a'] | map('upper') | list
o.o | map(attribute='v', default=9) | list ;; o.o | selectattr('v') | list | length
o.o | selectattr('v', 'defined') | map(attribute='k') | list
o.o | rejectattr('k', 'equalto', 'c') | list | length ;; o.o | selectattr('k', 'in', ['c']) | list
none | selectattr('a') | list ;; [1, 0, 2] | select | list ;; [1, 2, 3] | select('odd') | list
[1, 2, 3] | reject('gt', 1) | list ;; [3, 1, 2] | sort ;; ['b', 'A', 'c'] | sort ;; [3, 1] | sort(reverse=true)
o.o | sort(attribute='k') | map(attribute='k') | list ;; [1, 2] | first ;; [1, 2] | last ;; [] | first
'abc' | first ;; 'abc' | reverse ;; [1, 2] | reverse | list ;; [1, 1, 2] | unique | list ;; [1, 2.5] | sum
[3, 1] | max ;; [3, 1] | min ;; [1, 2, 3] | batch(2) | list ;; [1, 2, 3] | batch(2, 0) | list ;; x | default('d')
'' | default('d') ;; '' | default('d', true) ;; none | default('d') ;; 'a' | upper ;; 'B' | lower
'ab cd-ef' | title ;; 'aB' | capitalize ;; 5 | string ;; none | string ;; ['a'] | string ;; '3' | int ;; '3.7' | int
'x' | int ;; 'x' | int(5) ;; 3.9 | int ;; '2.5' | float ;; 'x' | float ;; 2.5 | round ;; 3.5 | round
2.567 | round(2) ;; 2.1 | round(0, 'ceil') ;; 2 | float ;; true | int ;; 'a\nb\n\nc' | indent
'a\nb' | indent(2, true) ;; 'a\n\nb' | indent(2, blank=true) ;; 'a\nb' | indent('> ') ;; 'a b c' | wordcount
'<"&\'>' | e ~ '' ;; '%s %s' | format('a', 1) ;; 'abab' | replace('a', 'x') ;; 5 | replace(5, 6) ;; m | tojson
m | tojson(indent=2) ;; m.m | tojson(sort_keys=true) ;; m.l | tojson(separators=(',', ':')) ;; 'é\u0007' | tojson
'é' | tojson(ensure_ascii=true) ;; (1, 2) | tojson ;; {1: none, true: 2.0} | tojson ;; [] | tojson(indent=4)
range(3) | list ;; range(1, 8, 3) | list ;; range(3, 0, -1) | list ;; range(0) | list ;; dict(a=1, b=2)
dict({'x': 1}, y=2) ;; namespace(a=1).a ;; 'a' 'b' 'c' ;; 'a\tb\\n\x41\u00e9' ;; "\'" ;; 0x1f ;; 1_000 ;; 1.5e3
"""
STATEMENTS = [
    "a\n  {% if true %}\n  b\n  {% endif %}\n c\n\n",
    "a  {%- if true -%}  b  {%- endif +%}  \n {%+ if true %}\n x {% endif %}",
    " {# note #}\n{#- note -#}\n  {{- 1 -}}  \n  {{ 2 }}\n",
    "{% raw %} {{ x }} {% endraw %}\n{%- raw -%} {% if %} {%- endraw -%} z",
    "{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 5 %}{{ x }}{% endfor %}{{ x }}",
    "{% set ns = namespace(a=[], b='') %}{% for i in 'abc' %}{% set ns.a = ns.a + [i] %}{% set ns.b = ns.b ~ i %}{% endfor %}{{ ns.a }}{{ ns.b }}",
    "{% for i in range(5) if i is odd %}{{ loop.index }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ i }} {% else %}none{% endfor %}",
    "{% for i in [] %}x{% else %}none{% endfor %}{% for i in undefined_thing %}x{% else %}none{% endfor %}",
    "{% for i in [1, 1, 2] %}{{ loop.changed(i) }}{{ loop.cycle('a', 'b') }}{{ loop.previtem }}{{ loop.nextitem }}{{ loop.depth }} {% endfor %}",
    "{% for i in range(9) %}{% if i == 2 %}{% continue %}{% elif i == 5 %}{% break %}{% endif %}{{ i }}{% endfor %}",
    "{% for k, (a, b) in [('x', (1, 2)), ('y', [3, 4])] %}{{ k }}{{ a }}{{ b }} {% endfor %}",
    "{% macro m(a, b='B', c=none) %}[{{ a }}{{ b }}{{ c }}{{ y }}]{% endmacro %}{% set y = 1 %}{{ m('a') }}{{ m(1, c=2) }}{{ m() }}{{ m(b=m('x')) }}",
    "{% macro t(n) %}{{ n }}{% if n > 0 %}{{ t(n - 1) }}{% endif %}{% endmacro %}{{ t(4) | upper }}",
    "{% macro m(a) %}<{{ a }}|{{ caller() }}>{% endmacro %}{% call m('x') %}in{{ 1 }}{% endcall %}",
    "{% set x %}  a{{ 1 }}\n{% endset %}[{{ x }}]{% set y | trim | upper %} b {% endset %}[{{ y }}]",
    "{% filter upper | trim %} a{{ 'b' }} {% endfilter %}{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}",
    "{% set a, b = 1, 2 %}{{ b }}{{ a }}{% set c = 1, 2 %}{{ c }}{% if false %}{% set d = 1 %}{% endif %}{{ d is defined }}",
    "{% generation %}{{ 1 }}{% endgeneration %}\n{%- generation -%} x {%- endgeneration -%} y",
    "{{ messages[0].role if messages else 'none' }}{% if messages and messages[0]['content'] is string %}s{% endif %}",
    "line\r\nother\rlast\r\n",
]
FAIL = [
    "{{ x.y }}", "{{ x() }}", "{{ x + 1 }}", "{{ 1 + 'a' }}", "{{ 'a' + 1 }}", "{{ 1 < 'a' }}", "{{ 1 / 0 }}", "{{ 5 in 5 }}",
    "{{ 'a'.nothing() }}", "{{ [].append(1) }}", "{{ {}.update({}) }}", "{{ none | length }}", "{{ 5 | list }}",
    "{% for x in none %}{% endfor %}", "{% for a, b in [1] %}{% endfor %}", "{{ x | tojson }}", "{{ 'a' | nothing }}",
    "{{ 'a' is nothing }}", "{{ raise_exception('no') }}", "{% if %}", "{% if 1 %}", "{{ 1 ", "{{ (1 }}", "{{ 'a }}", "{% nothing %}",
    "{% set ns.x = 1 %}", "{{ 'abc'.index('x') }}", "{{ [1, 'a'] | sort }}", "{{ '%d' % 'a' }}", "{{ '{} {}'.format(1) }}",
    "{% macro m() %}{% endmacro %}{{ m(1) }}", "{% macro m() %}{% endmacro %}{{ m(b=1) }}", "{{ ''.split('') }}", "{{ 1 if }}",
]  # fmt: skip


def theirs(template: str) -> str | None:
    try:
        return _compile_jinja_template(template).render(messages=MESSAGES, tools=None)
    except Exception as why:  # noqa: BLE001 - whatever it is, ours must be an error too
        print(f"jinja: {why!r}")
        return None


def ours(template: str, folder: Path) -> dict[str, Any]:
    (folder / "tokenizer.json").write_text(json.dumps(TOKENIZER))
    (folder / "tokenizer_config.json").write_text('{"eos_token": "<end>"}')
    (folder / "chat_template.jinja").write_bytes(template.encode())
    return ask([{"ask": "prompt", "messages": MESSAGES}], folder)[0]


def test_expressions_have_the_same_values(tmp_path: Path) -> None:
    every = [part for line in EXPRESSIONS.strip().splitlines() for part in line.split(" ;; ")]
    assert len(every) > 200
    start, mark = "{% set m, o = messages[0], messages[1] %}", "\x00"
    template = start + mark.join(f"{{{{ {expression} }}}}" for expression in every)
    expected, answer = theirs(template), ours(template, tmp_path)
    assert expected is not None and "text" in answer, answer
    for expression, their, our in zip(every, expected.split(mark), answer["text"].split(mark), strict=True):
        assert our == their, expression


@pytest.mark.parametrize("template", STATEMENTS)
def test_statements_write_the_same(template: str, tmp_path: Path) -> None:
    expected, answer = theirs(template), ours(template, tmp_path)
    assert expected is not None and answer.get("text") == expected, answer


@pytest.mark.parametrize("template", FAIL)
def test_what_fails_there_fails_here(template: str, tmp_path: Path) -> None:
    assert theirs(template) is None
    try:
        assert ours(template, tmp_path).get("kind") == "template"
    except Exception as why:  # noqa: BLE001 - a template that cannot be read ends our program
        assert "exit status 1" in str(why)
