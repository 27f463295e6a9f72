//! What templates are told. What they can do with it is tested beside `jinja`.

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
fn what_a_template_raises_is_told_in_its_words() {
    let error = render("{{ raise_exception('roles must alternate') }}").unwrap_err();
    assert_eq!(error.kind(), crate::ErrorKind::Template);
    assert_eq!(error.to_string(), "the model's chat template: roles must alternate");
}

#[test]
fn a_template_that_takes_too_much_is_stopped() {
    let loops = "{% for a in range(9999) %}{% for b in range(9999) %}{{ a * b }}{% endfor %}{% endfor %}";
    let error = render(loops).unwrap_err();
    assert_eq!(error.to_string(), "the model's chat template: line 1: it takes too much time or memory");
    let writes = "{% for a in range(999) %}{{ 'x' * 10000 }}{% endfor %}";
    assert!(render(writes).unwrap_err().to_string().contains("it wrote more than 8388608 bytes"));
}

#[test]
fn a_longer_conversation_may_take_more() {
    let messages = format!(r#"[{{"role": "user", "content": "{}"}}]"#, "long ".repeat(1_000_000));
    let template = "{% for m in messages %}{% for word in m.content.split(' ') %}{% endfor %}{{ m.content }}{% endfor %}";
    assert_eq!(render_with(template, &messages, None, UNSAID).unwrap().len(), 5_000_000);
}

#[test]
fn a_broken_template_is_an_error_when_it_is_read() {
    assert_eq!(
        ChatTemplate::from_files(Some("{% if %}"), None).unwrap_err().kind(),
        crate::ErrorKind::Template
    );
}
