//! Values of the options that describe pods, as users type them.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// A value of an option that cannot be used, with what to write instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{option} {value:?}: {advice}")]
pub struct SettingError {
    pub option: String,
    pub value: String,
    pub advice: String,
}

fn wrong(option: &str, value: &str, advice: &str) -> SettingError {
    SettingError { option: option.to_owned(), value: value.to_owned(), advice: advice.to_owned() }
}

/// `NAME=VALUE` or a JSON object, any number of them.
pub fn pairs(option: &str, values: &[String]) -> Result<BTreeMap<String, String>, SettingError> {
    let advice = "write NAME=VALUE or a JSON object";
    let mut all = BTreeMap::new();
    for value in values {
        if value.trim_start().starts_with('{') {
            let object: Map<String, Value> = serde_json::from_str(value).map_err(|_| wrong(option, value, advice))?;
            for (name, value) in object {
                all.insert(name, value.as_str().map_or_else(|| value.to_string(), str::to_owned));
            }
            continue;
        }
        let (name, text) =
            value.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(|| wrong(option, value, advice))?;
        all.insert(name.to_owned(), text.to_owned());
    }
    Ok(all)
}

/// `VARIABLE=SECRET/KEY` or a JSON object with such values.
pub fn secret_variables(option: &str, values: &[String]) -> Result<BTreeMap<String, (String, String)>, SettingError> {
    let advice = "write VARIABLE=SECRET/KEY";
    let mut all = BTreeMap::new();
    for (name, place) in pairs(option, values).map_err(|error| SettingError { advice: advice.to_owned(), ..error })? {
        let (secret, key) = place
            .split_once('/')
            .filter(|(secret, key)| !secret.is_empty() && !key.is_empty())
            .ok_or_else(|| wrong(option, &format!("{name}={place}"), advice))?;
        all.insert(name, (secret.to_owned(), key.to_owned()));
    }
    Ok(all)
}

/// JSON objects, or arrays of them.
pub fn objects(option: &str, values: &[String], example: &str) -> Result<Vec<Value>, SettingError> {
    let advice = format!("write a JSON object or an array of them, such as {example}");
    let mut all = Vec::new();
    for text in values {
        match serde_json::from_str(text) {
            Ok(object @ Value::Object(_)) => all.push(object),
            Ok(Value::Array(items)) if items.iter().all(Value::is_object) => all.extend(items),
            _ => return Err(wrong(option, text, &advice)),
        }
    }
    Ok(all)
}

/// Tolerations in the words of Kubernetes.
pub fn tolerations(values: &[String]) -> Result<Vec<Value>, SettingError> {
    objects("--tolerations", values, r#"{"key": "nvidia.com/gpu", "operator": "Exists"}"#)
}

/// `SECRET:FOLDER`, or JSON objects with `name` and `mountPath`.
pub fn secret_mounts(values: &[String]) -> Result<Vec<(String, String)>, SettingError> {
    let option = "--secret-mounts";
    let example = r#"{"name": "llm-key", "mountPath": "/etc/llm"}"#;
    let mut all = Vec::new();
    for text in values {
        if let Some((name, path)) =
            text.split_once(':').filter(|(name, path)| !name.contains('{') && path.starts_with('/'))
        {
            all.push((name.to_owned(), path.to_owned()));
            continue;
        }
        for object in objects(option, std::slice::from_ref(text), example)? {
            let field = |names: [&str; 2]| {
                names.iter().find_map(|name| object.get(name)).and_then(Value::as_str).map(str::to_owned)
            };
            let place = field(["name", "secretName"]).zip(field(["mountPath", "mount_path"]));
            all.push(
                place.ok_or_else(|| wrong(option, text, &format!("needs name and mountPath, such as {example}")))?,
            );
        }
    }
    Ok(all)
}

/// `always`, `never` or `if-not-present`, in any case.
pub fn pull_policy(text: &str) -> Result<&'static str, SettingError> {
    match text.to_ascii_lowercase().replace(['-', '_'], "").as_str() {
        "always" => Ok("Always"),
        "never" => Ok("Never"),
        "ifnotpresent" => Ok("IfNotPresent"),
        _ => Err(wrong("--image-pull-policy", text, "choose always, never or if-not-present")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn pairs_are_words_or_json() {
        let map = pairs("--labels", &words(&["a=b=c", r#"{"d": "e", "n": 5}"#])).unwrap();
        assert_eq!(
            map,
            BTreeMap::from([("a", "b=c"), ("d", "e"), ("n", "5")].map(|(k, v)| (k.to_owned(), v.to_owned())))
        );
        for bad in ["a", "=b", "{a}"] {
            let error = pairs("--labels", &words(&[bad])).unwrap_err().to_string();
            assert_eq!(error, format!("--labels {bad:?}: write NAME=VALUE or a JSON object"));
        }
    }

    #[test]
    fn secrets_are_named_with_their_key() {
        let map = secret_variables("--env-from-secrets", &words(&["HF_TOKEN=hub/token"])).unwrap();
        assert_eq!(map["HF_TOKEN"], ("hub".to_owned(), "token".to_owned()));
        assert!(secret_variables("--env-from-secrets", &words(&["HF_TOKEN=hub"])).is_err());
    }

    #[test]
    fn mounts_have_a_short_form() {
        let mounts = secret_mounts(&words(&["s:/etc/s", r#"[{"name": "t", "mount_path": "/etc/t"}]"#])).unwrap();
        assert_eq!(mounts, [("s".to_owned(), "/etc/s".to_owned()), ("t".to_owned(), "/etc/t".to_owned())]);
        assert!(secret_mounts(&words(&["s"])).is_err());
        assert!(secret_mounts(&words(&[r#"{"name": "t"}"#])).unwrap_err().to_string().contains("mountPath"));
    }

    #[test]
    fn tolerations_are_json() {
        let list = tolerations(&words(&[r#"{"key": "k"}"#, r#"[{"key": "l"}]"#])).unwrap();
        assert_eq!(list, [json!({"key": "k"}), json!({"key": "l"})]);
        assert!(tolerations(&words(&["k=v:NoSchedule"])).is_err());
    }

    #[test]
    fn pull_policies_have_any_case() {
        assert_eq!(pull_policy("if_not_present").unwrap(), "IfNotPresent");
        assert_eq!(pull_policy("IfNotPresent").unwrap(), "IfNotPresent");
        assert!(pull_policy("sometimes").is_err());
    }
}
