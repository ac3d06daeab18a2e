//! Whether a server's words refuse the field that carries the number of tokens to generate. Newer models take only
//! `max_completion_tokens`, older servers only `max_tokens`.

use crate::Failure;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    MaxCompletionTokens,
    MaxTokens,
}

impl MaxTokensField {
    pub const fn name(self) -> &'static str {
        match self {
            Self::MaxCompletionTokens => "max_completion_tokens",
            Self::MaxTokens => "max_tokens",
        }
    }
}

/// Words by which servers refuse a field as such, and not its value ("`max_tokens` is too large").
const REFUSALS: [&str; 8] = [
    "unsupported",
    "not supported",
    "unrecognized",
    "unknown",
    "unexpected",
    "extra inputs",
    "extra_forbidden",
    "not permitted",
];

/// The field that a failure refuses: the one named first, since the other may follow as what to use instead.
pub(crate) fn refused_field(failure: &Failure) -> Option<MaxTokensField> {
    let refused_as_such = matches!(failure.code, Some(400 | 422)) && !failure.is_context_overflow();
    let text = failure.message.to_lowercase();
    if !refused_as_such || !REFUSALS.iter().any(|word| text.contains(word)) {
        return None;
    }
    let named = |field: MaxTokensField| text.find(field.name()).map(|at| (at, field));
    let fields = [named(MaxTokensField::MaxCompletionTokens), named(MaxTokensField::MaxTokens)];
    fields.into_iter().flatten().min_by_key(|(at, _)| *at).map(|(_, field)| field)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(code: u16, message: &str) -> Option<MaxTokensField> {
        refused_field(&Failure::new(Some(code), "Bad Request".into(), message))
    }

    #[test]
    fn the_field_named_first_is_the_one_that_was_refused() {
        let new_model = "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                         'max_completion_tokens' instead.";
        assert_eq!(field(400, new_model), Some(MaxTokensField::MaxTokens));
        let old_server = r#"{"loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted"}"#;
        assert_eq!(field(422, old_server), Some(MaxTokensField::MaxCompletionTokens));
    }

    #[test]
    fn a_value_that_is_too_large_and_a_broken_server_refuse_no_field() {
        assert_eq!(field(400, "'max_tokens' or 'max_completion_tokens' is too large: 4096"), None);
        assert_eq!(field(500, "unexpected: max_completion_tokens"), None);
        assert_eq!(field(400, "unknown model"), None);
    }
}
