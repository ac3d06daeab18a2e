//! Lengths and models of a file with those of the command line over them.

use serde_json::{Map, Value};

/// A mean or a standard deviation replaces that of the file; a whole distribution replaces all.
pub(super) fn length(own: Value, new: Value) -> Value {
    let plain = |map: &Map<String, Value>| {
        map.keys().all(|key| ["mean", "stddev"].contains(&key.as_str()))
            || map.get("type").and_then(Value::as_str) == Some("normal") && map.len() <= 3
    };
    let parts = match new {
        Value::Object(new) if plain(&new) => new,
        Value::Object(new) => return Value::Object(new),
        mean => Map::from_iter([("mean".to_owned(), mean)]),
    };
    let mut own = match own {
        Value::Object(own) if plain(&own) => own,
        Value::Object(_) if parts.contains_key("mean") => Map::new(),
        Value::Object(own) => own,
        mean => Map::from_iter([("mean".to_owned(), mean)]),
    };
    own.extend(parts);
    if own.len() == 1
        && let Some(mean) = own.shift_remove("mean")
    {
        return mean;
    }
    Value::Object(own)
}

/// Names, weights and strategy are replaced each by itself.
pub(super) fn models(own: &Value, new: &Value) -> Value {
    let items = |value: &Value| -> Vec<(Value, Option<Value>)> {
        let list = match value {
            Value::Object(map) => map.get("items").and_then(Value::as_array).cloned().unwrap_or_default(),
            Value::Array(list) => list.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let item = |item: Value| match item {
            Value::Object(map) => (map.get("name").cloned().unwrap_or_default(), map.get("weight").cloned()),
            name => (name, None),
        };
        list.into_iter().map(item).collect()
    };
    let strategy = [new, own].into_iter().find_map(|value| value.get("strategy").cloned());
    let (own, new) = (items(own), items(new));
    let names: Vec<&Value> = if new.is_empty() { &own } else { &new }.iter().map(|(name, _)| name).collect();
    let weights = if new.iter().any(|(_, weight)| weight.is_some()) { &new } else { &own };
    if strategy.is_none() && weights.iter().all(|(_, weight)| weight.is_none()) {
        return if let [one] = names.as_slice() { (*one).clone() } else { names.into_iter().cloned().collect() };
    }
    let item = |(place, name): (usize, &Value)| {
        let mut item = Map::from_iter([("name".to_owned(), name.clone())]);
        let weight = weights.get(place).and_then(|(_, weight)| weight.clone());
        item.extend(weight.map(|weight| ("weight".to_owned(), weight)));
        Value::Object(item)
    };
    let items: Value = names.into_iter().enumerate().map(item).collect();
    let mut models = Map::new();
    models.extend(strategy.map(|strategy| ("strategy".to_owned(), strategy)));
    models.insert("items".to_owned(), items);
    Value::Object(models)
}
