//! What templates may rely on. Whole templates are compared with `transformers` in tests/engine.

use super::*;

const UNSAID: Thinking = Thinking::Unsaid { can_think: false };

fn render_with(template: &str, messages: &str, tools: Option<&str>, thinking: Thinking) -> Result<String> {
    let messages = Json::parse(messages).unwrap();
    let tools = tools.map(|tools| Json::parse(tools).unwrap());
    ChatTemplate::from_files(Some(template), Some(r#"{"bos_token": "<s>"}"#))?.render(&Ingredients {
        messages: &messages,
        tools: tools.as_ref(),
        thinking,
        reasoning_effort: None,
        add_generation_prompt: true,
        now: Moment::from_unix(1_720_000_000),
    })
}

fn render(template: &str) -> Result<String> {
    render_with(template, r#"[{"role": "user", "content": " hi "}]"#, None, UNSAID)
}

#[test]
fn blocks_swallow_their_line_and_the_last_line_end_goes() {
    let template = "{{ bos_token }}\n  {% for m in messages %}\n{{ m.role }}\n  {% endfor %}\nend\n";
    assert_eq!(render(template).unwrap(), "<s>\nuser\nend");
}

#[test]
fn values_print_as_python_prints_them() {
    let template =
        "{{ true }} {{ none }} {{ 1.0 }} {{ [1, 'a', none] }} {{ {'k': \"it's\"} }} {{ undefined_thing }}.";
    assert_eq!(render(template).unwrap(), "True None 1.0 [1, 'a', None] {'k': \"it's\"} .");
}

#[test]
fn methods_of_python_are_there() {
    let template = "{{ messages[0].content.strip() }}|{{ 'a,b,c'.split(',')[-1] }}|{{ 'x'.startswith(('y', 'x')) }}|\
                    {{ messages[0].get('name', 'nobody') }}|{% for k, v in messages[0].items() %}{{ k }};{% endfor %}";
    assert_eq!(render(template).unwrap(), "hi|c|True|nobody|role;content;");
}

#[test]
fn a_key_named_like_a_method_does_not_hide_it() {
    let messages = r#"[{"items": 3, "get": 4, "role": "x"}]"#;
    let template =
        "{% for k, v in messages[0].items() %}{{ k }}={{ v }} {% endfor %}{{ messages[0].get('role') }}";
    assert_eq!(render_with(template, messages, None, UNSAID).unwrap(), "items=3 get=4 role=x x");
}

#[test]
fn tools_choose_the_template_that_is_made_for_them() {
    let config = r#"{"chat_template": [{"name": "default", "template": "plain"}, {"name": "tool_use", "template": "tools"}]}"#;
    let template = ChatTemplate::from_files(None, Some(config)).unwrap();
    let (messages, tools) = (Json::List(vec![]), Json::List(vec![]));
    let now = Moment::from_unix(0);
    let ingredients = Ingredients {
        messages: &messages,
        tools: None,
        thinking: UNSAID,
        reasoning_effort: None,
        add_generation_prompt: true,
        now,
    };
    assert_eq!(template.render(&ingredients).unwrap(), "plain");
    assert_eq!(template.render(&Ingredients { tools: Some(&tools), ..ingredients }).unwrap(), "tools");
}

#[test]
fn templates_hear_by_one_name_what_a_model_can_and_by_two_what_was_asked() {
    let template = "{{ enable_thinking }} {{ thinking is defined }}";
    assert_eq!(render_with(template, "[]", None, UNSAID).unwrap(), "False False");
    assert_eq!(render_with(template, "[]", None, Thinking::Said(true)).unwrap(), "True True");
}

#[test]
fn the_date_is_the_callers() {
    assert_eq!(render("{{ strftime_now('%d %b %Y') }}").unwrap(), "03 Jul 2024");
}

#[test]
fn json_has_pythons_options() {
    let template = "{{ {'b': 'é', 'a': [1]} | tojson }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true, separators=(',', ':')) }} \
                    {{ [1] | tojson(indent=2) }} {{ 'é' | tojson(ensure_ascii=true) }}";
    let expected = "{\"b\": \"é\", \"a\": [1]} {\"a\":2,\"b\":1} [\n  1\n] \"\\u00e9\"";
    assert_eq!(render(template).unwrap(), expected);
}

#[test]
fn generation_marks_and_loop_controls_are_known() {
    let template = "{% for n in range(9) %}{% if n == 1 %}{% continue %}{% endif %}{% if n == 4 %}{% break %}{% endif %}\
                    {%- generation %}{{ n }}{% endgeneration %}{% endfor %}";
    assert_eq!(render(template).unwrap(), "023");
}

#[test]
fn what_a_template_raises_is_told_in_its_words() {
    let error = render("{{ raise_exception('roles must alternate') }}").unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Template);
    assert_eq!(error.to_string(), "the model's chat template: roles must alternate");
}

#[test]
fn a_template_that_never_ends_or_never_stops_writing_is_stopped() {
    let loops = "{% for a in range(9999) %}{% for b in range(9999) %}{{ a * b }}{% endfor %}{% endfor %}";
    assert!(render(loops).unwrap_err().to_string().contains("fuel"));
    let writes = "{% for a in range(9999) %}{{ 'x' * 10000 }}{% endfor %}";
    assert_eq!(render(writes).unwrap_err().kind(), crate::ErrorKind::Template);
    let recurses = "{% macro again() %}{{ again() }}{% endmacro %}{{ again() }}";
    assert!(render(recurses).is_err());
}

#[test]
fn a_broken_template_is_an_error_when_it_is_read() {
    assert_eq!(
        ChatTemplate::from_files(Some("{% if %}"), None).unwrap_err().kind(),
        crate::ErrorKind::Template
    );
}
