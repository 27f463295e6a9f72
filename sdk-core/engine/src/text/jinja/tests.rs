//! What templates may rely on. Whole templates are compared with `transformers` in tests/engine.

use super::*;
use crate::text::json::Json;
use crate::text::template::Moment;

const UNITS: u64 = 4 << 20;

fn try_with(template: &str, variables: &str) -> Outcome<String> {
    let Json::Map(pairs) = Json::parse(variables).unwrap() else { panic!("variables are a map") };
    let variables = pairs.iter().map(|(name, value)| (name.as_str().into(), Value::from(value))).collect();
    let template = Template::parse(template)?;
    render(&template, variables, Moment::from_unix(1_720_000_000), &Meter::new(UNITS))
}

fn with(template: &str, variables: &str) -> String {
    try_with(template, variables).unwrap_or_else(|failure| panic!("{template}: {failure}"))
}

fn run(template: &str) -> String {
    with(template, "{}")
}

fn failure(template: &str) -> String {
    try_with(template, "{}").unwrap_err().to_string()
}

#[test]
fn blocks_swallow_their_indent_and_their_line_end_and_values_do_not() {
    assert_eq!(run("a\n  {% if true %}\nb\n  {% endif %}\nc\n"), "a\nb\nc");
    assert_eq!(run("a\n  {{ 1 }}\nb"), "a\n  1\nb");
    assert_eq!(run("a\n  {# note #}\nb"), "a\nb");
    assert_eq!(run("a {% if true %} b {% endif %} c"), "a  b  c");
    assert_eq!(run("{% if true %}\n  {% if true %}\nx{% endif %}{% endif %}"), "x");
}

#[test]
fn signs_swallow_all_spaces_or_none() {
    assert_eq!(run("a \n {%- if true -%} \n b {{- 1 -}} \n c{% endif %}"), "ab1c");
    assert_eq!(run("a\n  {%+ if true +%}\nb{% endif %}"), "a\n  \nb");
    assert_eq!(run("a {#- note -#} b"), "ab");
}

#[test]
fn line_ends_are_all_alike_and_the_last_one_goes() {
    assert_eq!(run("a\r\nb\rc\n"), "a\nb\nc");
    assert_eq!(run("a\n\n"), "a\n");
}

#[test]
fn raw_is_text() {
    assert_eq!(run("{% raw %}{{ x }}{% if %}{% endraw %}!"), "{{ x }}{% if %}!");
    assert_eq!(run("a {%- raw -%} b {%- endraw -%} c"), "abc");
}

#[test]
fn texts_have_pythons_escapes_and_stand_side_by_side() {
    assert_eq!(run(r#"{{ 'a\n\t\\\'\"\u00e9\x41\101' "b" }}"#), "a\n\t\\'\"éAAb");
    assert_eq!(run(r"{{ '\d' }}"), r"\d");
}

#[test]
fn values_print_as_python_prints_them() {
    let template =
        "{{ true }} {{ none }} {{ 1.0 }} {{ [1, 'a', none] }} {{ {'k': \"it's\"} }} {{ (1,) }} {{ x }}.";
    assert_eq!(run(template), "True None 1.0 [1, 'a', None] {'k': \"it's\"} (1,) .");
    assert_eq!(run("{{ 'a' ~ true ~ none ~ 1e20 ~ [0.1] }}"), "aTrueNone1e+20[0.1]");
}

#[test]
fn operators_bind_as_in_jinja() {
    for (expression, expected) in [
        ("1 + 2 * 3 - 4", "3"),
        ("7 // 2 ~ 7 % 4 ~ 6 / 4", "331.5"),
        ("-7 // 2 ~ ',' ~ -7 % 4", "-4,1"),
        ("2 ** 3 ** 2", "64"),
        ("not 1 == 2 and 3 or 4", "3"),
        ("1 < 2 < 3", "True"),
        ("3 > 2 > 2", "False"),
        ("'a' in 'abc' and 'x' not in ['y'] and 'k' in {'k': 1}", "True"),
        ("'a' if false else 'b' if false else 'c'", "c"),
        ("('x' if false) is undefined", "True"),
        ("'ab' * 2 + 'c'", "ababc"),
        ("[1] + [2, 3]", "[1, 2, 3]"),
        ("1 == 1.0 == true", "True"),
        ("[1, {'a': 2}] == [1, {'a': 2}]", "True"),
        ("-3 | abs", "3"),
        ("'%s is %d%%' % ('x', 5)", "x is 5%"),
        ("1 is odd and 2 is not odd", "True"),
        ("10 is divisibleby 5", "True"),
        ("{'a': {'b': [10, 20]}}.a.b[-1]", "20"),
    ] {
        assert_eq!(run(&format!("{{{{ {expression} }}}}")), expected, "{expression}");
    }
}

#[test]
fn slices_are_pythons() {
    let slices =
        "{{ x[1:] }} {{ x[:-1] }} {{ x[::-1] }} {{ x[-2:] }} {{ x[5:] }} {{ x[::2] }} {{ 'héllo'[1:3] }}";
    assert_eq!(with(slices, r#"{"x": [1, 2, 3]}"#), "[2, 3] [1, 2] [3, 2, 1] [2, 3] [] [1, 3] él");
}

#[test]
fn loops_know_where_they_are() {
    let template = "{% for k, v in x.items() %}{{ loop.index }}/{{ loop.length }}{{ k }}{{ v }}\
        {{ '' if loop.last else ',' }}{{ loop.previtem[0] if loop.previtem }}{% else %}none{% endfor %}";
    assert_eq!(with(template, r#"{"x": {"b": 1, "a": 2}}"#), "1/2b1,2/2a2b");
    assert_eq!(with(template, r#"{"x": {}}"#), "none");
    assert_eq!(run("{% for i in range(6) if i is even %}{{ loop.index0 }}{{ i }} {% endfor %}"), "00 12 24 ");
    assert_eq!(run("{% for i in range(2, 9, 3) %}{{ loop.cycle('a', 'b') }}{{ i }}{% endfor %}"), "a2b5a8");
}

#[test]
fn loops_can_be_left_and_turned() {
    let template = "{% for n in range(9) %}{% if n == 1 %}{% continue %}{% endif %}{% if n == 4 %}{% break %}{% endif %}\
        {%- generation %}{{ n }}{% endgeneration %}{% endfor %}";
    assert_eq!(run(template), "023");
}

#[test]
fn a_loop_keeps_its_variables_to_itself_and_a_namespace_does_not() {
    assert_eq!(run("{% set x = 1 %}{% for i in [1, 2] %}{{ x }}{% set x = 9 %}{% endfor %}{{ x }}"), "111");
    assert_eq!(
        run("{% set n = namespace(x=1) %}{% for i in [1, 2] %}{% set n.x = n.x + i %}{% endfor %}{{ n.x }}"),
        "4"
    );
    assert_eq!(run("{% if true %}{% set x = 1 %}{% endif %}{{ x }}"), "1");
    assert_eq!(run("{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a }}"), "3");
    assert_eq!(run("{% set a, b = 1, [2] %}{{ b }}"), "[2]");
}

#[test]
fn macros_see_the_template_and_not_their_caller() {
    let template = "{% set y = 'y' %}{% macro m(a, b='B') %}{{ a }}{{ b }}{{ y }}{{ i }}{% endmacro %}\
        {% for i in [1] %}{{ m('A') }} {{ m(b='b', a=i) }}{% endfor %}";
    assert_eq!(run(template), "ABy 1by");
    let again = "{% macro m(n) %}{{ n }}{% if n > 0 %}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(3) }}";
    assert_eq!(run(again), "3210");
    let called = "{% macro m(a) %}<{{ a }}{{ caller() }}>{% endmacro %}{% call m('x') %}inside{% endcall %}";
    assert_eq!(run(called), "<xinside>");
}

#[test]
fn texts_can_be_captured_and_filtered() {
    assert_eq!(run("{% set x %} a{{ 1 }} {% endset %}[{{ x }}]"), "[ a1 ]");
    assert_eq!(
        run("{% set x | trim | upper %} a {% endset %}[{{ x }}]{% filter upper %}b{% endfilter %}"),
        "[A]B"
    );
}

#[test]
fn methods_are_pythons() {
    for (expression, expected) in [
        ("' a '.strip() ~ 'xxa'.lstrip('x')", "aa"),
        ("'a,b,c'.split(',', 1)", "['a', 'b,c']"),
        ("' a  b c '.split()", "['a', 'b', 'c']"),
        ("'a b c'.split(none, 1)", "['a', 'b c']"),
        ("'a b c'.rsplit(maxsplit=1)", "['a b', 'c']"),
        ("'a</t>b</t>c'.rsplit('</t>', 1)[0]", "a</t>b"),
        ("'x'.startswith(('y', 'x'))", "True"),
        ("'aXbX'.replace('X', '-', 1)", "a-bX"),
        ("'it is'.title() ~ 'ABC'.capitalize()", "It IsAbc"),
        ("'-'.join(['a', 'b'])", "a-b"),
        ("'{} {1} {n} {{}}'.format('a', 'b', n=3)", "a b 3 {}"),
        ("'a\\r\\nb\\nc'.splitlines()", "['a', 'b', 'c']"),
        ("'héh'.find('h') ~ 'héh'.rfind('h') ~ 'x'.find('y')", "02-1"),
        ("{'a': 1}.get('a') ~ {'a': 1}.get('b') ~ {}.get('b', 2)", "1None2"),
        ("{'a': 1, 'b': 2}.keys() | list", "['a', 'b']"),
        ("[1, 2, 1].count(1) ~ [1, 2].index(2)", "21"),
    ] {
        assert_eq!(run(&format!("{{{{ {expression} }}}}")), expected, "{expression}");
    }
}

#[test]
fn a_key_named_like_a_method_does_not_hide_it() {
    let variables = r#"{"m": {"items": 3, "get": 4, "role": "x"}}"#;
    let template =
        "{% for k, v in m.items() %}{{ k }}={{ v }} {% endfor %}{{ m.get('role') }}{{ m['items'] }}";
    assert_eq!(with(template, variables), "items=3 get=4 role=x x3");
}

#[test]
fn filters_are_jinjas() {
    let variables = r#"{"l": [{"n": "b", "v": 2}, {"n": "A", "v": 1}, {"n": "c"}], "m": {"b": 1, "a": 2}}"#;
    for (expression, expected) in [
        ("l | map(attribute='n') | join('-')", "b-A-c"),
        ("['a', 'b'] | map('upper') | list", "['A', 'B']"),
        ("l | selectattr('v', 'defined') | map(attribute='v') | sum", "3"),
        ("l | rejectattr('n', 'equalto', 'b') | list | length", "2"),
        ("l | sort(attribute='n') | map(attribute='n') | join", "Abc"),
        ("[3, 1, 2] | sort(reverse=true) | first", "3"),
        ("m | dictsort", "[('a', 2), ('b', 1)]"),
        ("m | items | list", "[('b', 1), ('a', 2)]"),
        ("[1, 0, 2] | select | list", "[1, 2]"),
        ("none | selectattr('v') | list", "[]"),
        ("x | default('d') ~ '' | default('e', true)", "de"),
        ("[1, 1, 2] | unique | list ~ ('abc' | reverse)", "[1, 2]cba"),
        ("'a\\nb\\n\\nc' | indent(2)", "a\n  b\n\n  c"),
        ("'12' | int + '1.5' | float", "13.5"),
        ("2.5 | round ~ 2.567 | round(2)", "2.02.57"),
        ("[3, 1] | max ~ [3, 1] | min", "31"),
        ("'<a>' | e ~ 'x' | safe", "&lt;a&gt;x"),
        ("{'b': 'é', 'a': [1]} | tojson", "{\"b\": \"é\", \"a\": [1]}"),
        ("{'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':'))", "{\"a\":2,\"b\":1}"),
        ("[1] | tojson(indent=2) ~ 'é' | tojson(ensure_ascii=true)", "[\n  1\n]\"\\u00e9\""),
    ] {
        assert_eq!(with(&format!("{{{{ {expression} }}}}"), variables), expected, "{expression}");
    }
}

#[test]
fn what_is_undefined_is_empty_and_has_no_parts() {
    assert_eq!(
        run("{{ x }}{% for i in x %}{% endfor %}{{ x is defined }}{{ x | length }}{{ 1 in x }}"),
        "False0False"
    );
    assert_eq!(run("{{ {}.x }}{{ [].x }}{{ [1][5] }}{{ none.x }}"), "");
    assert!(failure("{{ x.y }}").contains("something undefined has no y"));
    assert!(failure("{{ x() }}").contains("cannot be called"));
    assert!(failure("{{ x + 1 }}").contains("something undefined + a number"));
}

#[test]
fn failures_name_their_line() {
    assert_eq!(failure("a\nb\n{{ 1 + 'x' }}"), "line 3: a number + a text is not possible");
    assert_eq!(failure("a\n{% if %}"), "line 2: a value was expected, not the end of the tag");
    assert_eq!(failure("{{ raise_exception('roles must alternate') }}"), "roles must alternate");
}

#[test]
fn a_broken_template_is_refused_when_it_is_read() {
    for (template, named) in [
        ("{% if a %}", "endif was expected"),
        ("{% endif %}", "a tag endif"),
        ("{{ 'a }}", "a text that does not end"),
        ("{{ (1 }}", "nothing opened"),
        ("{{ 1 + }}", "a value was expected"),
        ("{# a", "a comment that does not end"),
        ("{% include 'x' %}", "a tag include"),
        ("{{ a b }}", "the end of the tag was expected, not b"),
        ("{% for x of y %}{% endfor %}", "in was expected, not of"),
    ] {
        let failure = Template::parse(template).unwrap_err().to_string();
        assert!(failure.contains(named), "{template}: {failure}");
    }
}

#[test]
fn a_template_changes_nothing_but_namespaces() {
    for template in ["{{ [].append(1) }}", "{{ {}.update({}) }}", "{{ [2, 1].sort() }}"] {
        assert!(failure(template).contains("may not change"), "{template}");
    }
    assert!(failure("{% set n = namespace() %}{% set n.n = n %}").contains("holds data"));
    assert!(failure("{% set n = namespace() %}{{ [n] }}").contains("no data"));
}

#[test]
fn whatever_a_template_does_it_ends() {
    let double = |start: &str, more: &str, end: &str| {
        format!(
            "{{% set n = namespace(x={start}) %}}{{% for i in range(90) %}}{{% set n.x = {more} %}}{{% endfor %}}{end}"
        )
    };
    for template in [
        "{% for a in range(9999) %}{% for b in range(9999) %}{{ a * b }}{% endfor %}{% endfor %}".into(),
        "{% for a in range(9999) %}{{ 'x' * 10000 }}{% endfor %}".into(),
        "{{ range(99999999999) }}".into(),
        "{{ 'x' * 99999999999 }}{{ [1] * 99999999999 }}".into(),
        double("'x'", "n.x ~ n.x", ""),
        double("'x'", "n.x + n.x", ""),
        double("'xx'", "n.x.replace('x', 'xx')", ""),
        double("'xx'", "n.x | replace('x', 'xx')", ""),
        double("'x'", "n.x.join([n.x, n.x])", ""),
        double("'x'", "[n.x, n.x] | join(n.x)", ""),
        double("'x'", "'{}{}'.format(n.x, n.x)", ""),
        double("'x'", "'%s%s' % (n.x, n.x)", ""),
        double("'\\n'", "(n.x | indent(60, true, true)) ~ n.x", ""),
        double("'x'", "n.x + n.x", "").replace("90", "18")
            + "{% for i in range(99) %}{{ n.x.strip(n.x) }}{% endfor %}",
        double("[1]", "n.x + n.x", ""),
        double("[1]", "[n.x, n.x]", "{{ n.x | tojson }}"),
        double("[1]", "[n.x, n.x]", "{{ n.x }}"),
        double("[1]", "[n.x, n.x]", "{{ n.x == n.x }}"),
        double("[1]", "{'a': n.x, 'b': n.x}", "{{ n.x | string }}"),
        "{% set x %}{% for i in range(99999) %}".to_owned()
            + &"text ".repeat(9999)
            + "{% endfor %}{% endset %}",
        "{% macro again(x) %}{{ again(x ~ x) }}{% endmacro %}{{ again('x') }}".into(),
    ] {
        let failure = failure(&template);
        assert!(
            failure.contains("too much time or memory") || failure.contains("in each other"),
            "{template}: {failure}"
        );
    }
    assert!(failure(&double("[]", "[n.x]", "").replace("90", "999")).contains("deep"));
}

#[test]
fn what_is_deeply_nested_needs_no_deep_stack() {
    let deep = [
        "{{ ".to_owned() + &"(".repeat(9_999),
        "{{ ".to_owned() + &"-".repeat(9_999) + "1 }}",
        "{{ ".to_owned() + &"not ".repeat(9_999) + "1 }}",
        "{{ 1".to_owned() + &" if 1 else 1".repeat(9_999) + " }}",
        "{{ x".to_owned() + &".x".repeat(9_999) + " }}",
        "{{ x".to_owned() + &"|trim".repeat(9_999) + " }}",
        "{% if 1 %}".repeat(9_999),
        "{% macro m(n) %}{% if 1 %}{% for i in [1] %}{{ [(m(n + 1) ~ '')] }}{% endfor %}{% endif %}{% endmacro %}{{ m(1) }}".into(),
    ];
    let small = std::thread::Builder::new().stack_size(512 << 10);
    let all_fail =
        small.spawn(move || deep.iter().all(|template| try_with(template, "{}").is_err())).unwrap();
    assert!(all_fail.join().unwrap());
    // A long row is not deep.
    assert_eq!(run(&format!("{{{{ 1{} }}}}", " + 1".repeat(2_000))), "2001");
}
