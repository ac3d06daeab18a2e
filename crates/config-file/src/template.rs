//! Templates in a configuration file: `{{ expression }}` over the variables and the values of the file itself.

use std::collections::BTreeMap;

use minijinja::{Environment, UndefinedBehavior};
use serde_json::Value;

use crate::FileError;
use crate::yaml::{Node, NodeValue, Position, typed};

/// Instructions that one template may take; a loop without an end stops there.
const FUEL: u64 = 200_000;

/// Keys whose templates are rendered for each request or at the end of a run.
const RENDERED_LATER: [&str; 4] = ["template", "payload_template", "user_files", "userFiles"];

/// Renders all templates of the body. Names are looked up in `variables` first, then among the keys of the body.
pub(crate) fn render(body: &mut Node, variables: &BTreeMap<String, Value>) -> Result<(), FileError> {
    let names = Names::of(body, variables);
    render_node(body, "", &names)
}

/// Renders the templates of a value that names these.
pub(crate) fn render_value(node: &mut Node, path: &str, names: &BTreeMap<String, Value>) -> Result<(), FileError> {
    render_node(node, path, &Names { values: names.clone() })
}

/// The variables of a file; each may use the others.
pub(crate) fn variables(section: &Node) -> Result<BTreeMap<String, Value>, FileError> {
    let mut resolved: BTreeMap<String, Value> = BTreeMap::new();
    let mut waiting: Vec<(&str, Node)> =
        section.entries().iter().map(|entry| (entry.key.as_str(), entry.value.clone())).collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        let pending: Vec<String> = waiting.iter().map(|(name, _)| (*name).to_owned()).collect();
        let mut left = Vec::new();
        for (name, mut node) in waiting {
            let uses: Vec<String> = used_names(&node).into_iter().filter(|used| pending.contains(used)).collect();
            if uses.is_empty() {
                let names = Names { values: resolved.clone() };
                render_node(&mut node, &format!("variables.{name}"), &names)?;
                resolved.insert(name.to_owned(), node.to_json());
            } else {
                left.push((name, node));
            }
        }
        if left.len() == before {
            let names: Vec<&str> = left.iter().map(|(name, _)| *name).collect();
            let position = left.first().map_or_else(Position::default, |(_, node)| node.position);
            let problem = format!("these variables need each other: {}; give one of them a value", names.join(", "));
            return Err(FileError::at(position, "variables", problem));
        }
        waiting = left;
    }
    Ok(resolved)
}

/// What a template can name.
struct Names {
    values: BTreeMap<String, Value>,
}

impl Names {
    fn of(body: &Node, variables: &BTreeMap<String, Value>) -> Self {
        let mut values: BTreeMap<String, Value> =
            body.entries().iter().map(|entry| (entry.key.clone(), entry.value.to_json())).collect();
        values.extend(variables.clone());
        values.insert("variables".to_owned(), Value::Object(variables.clone().into_iter().collect()));
        Self { values }
    }
}

fn render_node(node: &mut Node, path: &str, names: &Names) -> Result<(), FileError> {
    match &mut node.value {
        NodeValue::Text(text) if is_template(text) => {
            node.value = rendered(text, names).map_err(|problem| FileError::at(node.position, path, problem))?;
        }
        NodeValue::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                render_node(item, &format!("{path}[{index}]"), names)?;
            }
        }
        NodeValue::Map(entries) => {
            for entry in entries.iter_mut().filter(|entry| !RENDERED_LATER.contains(&entry.key.as_str())) {
                let path = if path.is_empty() { entry.key.clone() } else { format!("{path}.{}", entry.key) };
                render_node(&mut entry.value, &path, names)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("{%")
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_fuel(Some(FUEL));
    environment
}

fn rendered(text: &str, names: &Names) -> Result<NodeValue, String> {
    let environment = environment();
    let result = environment
        .render_str(text, minijinja::value::Serde(&names.values))
        .map_err(|error| problem(&environment, text, names, &error))?;
    // A value that is nothing but one expression may be a number or a truth value.
    let inside = text.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    let is_whole = inside.is_some_and(|inside| !inside.contains("{{") && !inside.contains("{%"));
    Ok(if is_whole { typed(result.trim()) } else { NodeValue::Text(result) })
}

fn problem(environment: &Environment<'_>, text: &str, names: &Names, error: &minijinja::Error) -> String {
    let used = environment.template_from_str(text).map(|template| template.undeclared_variables(false));
    let mut unknown: Vec<String> =
        used.unwrap_or_default().into_iter().filter(|name| !names.values.contains_key(name)).collect();
    unknown.sort();
    // An operator says of an unknown name that it has the wrong type.
    let is_of_a_name =
        [minijinja::ErrorKind::UndefinedError, minijinja::ErrorKind::InvalidOperation].contains(&error.kind());
    if let Some(first) = unknown.first().filter(|_| is_of_a_name) {
        let near = crate::names::nearest(first, names.values.keys().map(String::as_str));
        let advice = near.map_or_else(|| "add it to `variables`".to_owned(), |near| format!("did you mean {near}?"));
        return format!("the template {text:?} uses {first}, which has no value; {advice}");
    }
    format!("the template {text:?} cannot be rendered: {error}")
}

/// The names that the templates of a tree use.
fn used_names(node: &Node) -> Vec<String> {
    match &node.value {
        NodeValue::Text(text) if is_template(text) => {
            let environment = environment();
            let names = environment.template_from_str(text).map(|template| template.undeclared_variables(false));
            names.unwrap_or_default().into_iter().collect()
        }
        NodeValue::List(items) => items.iter().flat_map(used_names).collect(),
        NodeValue::Map(entries) => entries.iter().flat_map(|entry| used_names(&entry.value)).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::yaml::read;

    fn after(variables_yaml: &str, body: &str) -> Result<Value, String> {
        let variables = variables(&read(variables_yaml).unwrap()).map_err(|error| error.to_string())?;
        let mut body = read(body).unwrap();
        render(&mut body, &variables).map_err(|error| error.to_string())?;
        Ok(body.to_json())
    }

    #[test]
    fn whole_values_are_typed_and_parts_are_text() {
        let body = "{isl: '{{ n * 2 }}', name: 'run-{{ n }}', on: '{{ flag }}', plain: 7}";
        let expected = json!({"isl": 128, "name": "run-64", "on": true, "plain": 7});
        assert_eq!(after("{n: 64, flag: true}", body), Ok(expected));
    }

    #[test]
    fn variables_may_use_each_other_but_not_in_a_circle() {
        assert_eq!(after("{a: '{{ b + 1 }}', b: '{{ c }}', c: 1}", "{x: '{{ a }}'}"), Ok(json!({"x": 2})));
        let error = after("{a: '{{ b }}', b: '{{ a }}'}", "{x: 1}").unwrap_err();
        assert!(error.contains("these variables need each other: a, b"), "{error}");
    }

    #[test]
    fn an_unknown_name_is_an_error_with_the_nearest_one() {
        let error = after("{target_isl: 5}", "{x: '{{ traget_isl }}'}").unwrap_err();
        assert!(error.contains("uses traget_isl") && error.contains("did you mean target_isl?"), "{error}");
    }

    #[test]
    fn templates_of_requests_are_left_alone() {
        let body = "{endpoint: {template: {body: '{{ text }}'}}, artifacts: {userFiles: [{content: '{{ epoch }}'}]}}";
        assert_eq!(after("{a: 1}", body).unwrap()["endpoint"]["template"]["body"], json!("{{ text }}"));
    }

    #[test]
    fn a_template_without_an_end_is_stopped() {
        let loops = "{x: '{% for a in range(9999) %}{% for b in range(9999) %}x{% endfor %}{% endfor %}'}";
        assert!(after("{a: 1}", loops).is_err());
    }
}
