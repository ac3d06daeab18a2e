//! Names of keys: camelCase and `snake_case` are the same key, and a name that is not known has a nearest one.

/// The key in `snake_case`.
pub(crate) fn snake(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + 4);
    for c in key.chars() {
        if c.is_ascii_uppercase() {
            if !name.is_empty() && !name.ends_with('_') {
                name.push('_');
            }
            name.push(c.to_ascii_lowercase());
        } else {
            name.push(c);
        }
    }
    name
}

/// The key in camelCase, as files are written.
pub(crate) fn camel(key: &str) -> String {
    let mut name = String::with_capacity(key.len());
    let mut starts_word = false;
    for c in key.chars() {
        if c == '_' && !name.is_empty() {
            starts_word = true;
        } else {
            name.push(if starts_word { c.to_ascii_uppercase() } else { c });
            starts_word = false;
        }
    }
    name
}

/// The name that was probably meant.
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = snake(name);
    known
        .map(|known| (strsim::jaro_winkler(&name, known), known))
        .filter(|(likeness, _)| *likeness > 0.8)
        .max_by(|(a, _), (b, _)| a.total_cmp(b))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_same_name_in_both_cases() {
        for (camel_case, snake_case) in
            [("waitForModelTimeout", "wait_for_model_timeout"), ("isl", "isl"), ("numRuns", "num_runs")]
        {
            assert_eq!(snake(camel_case), snake_case);
            assert_eq!(snake(snake_case), snake_case);
            assert_eq!(camel(snake_case), camel_case);
        }
        assert_eq!(snake("genAiProvider"), "gen_ai_provider");
    }

    #[test]
    fn a_misspelt_name_has_a_nearest_one() {
        assert_eq!(nearest("timout", ["timeout", "type"].into_iter()), Some("timeout"));
        assert_eq!(nearest("zzz", ["timeout", "type"].into_iter()), None);
    }
}
