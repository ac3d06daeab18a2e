//! Where the content of an answer stands, as a `JMESPath` expression of the user's.

mod growth;

use std::fmt;

use jmespath::{Expression, Variable};
use serde_json::Value;

/// Each character may open a level, and levels are gone through by recursion: the stack of a thread is enough for this many.
const LONGEST: usize = 512;

/// A compiled expression.
#[derive(Clone)]
pub struct ResponseField {
    expression: Expression<'static>,
}

impl ResponseField {
    /// Compiles an expression; the error names what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.len() > LONGEST {
            return Err(format!("it is longer than {LONGEST} bytes"));
        }
        let expression = jmespath::compile(text).map_err(|error| error.to_string().replace('\n', " "))?;
        if growth::of(expression.as_ast()) > growth::MOST {
            return Err(format!("its result can be more than {} times as large as the response", growth::MOST));
        }
        Ok(Self { expression })
    }

    pub fn as_str(&self) -> &str {
        self.expression.as_str()
    }

    /// The value that the expression selects; `None` if it selects nothing or does not apply.
    pub(crate) fn find(&self, answer: &Value) -> Option<Value> {
        let answer = Variable::from_serializable(answer).ok()?;
        let found = self.expression.search(answer).ok()?;
        serde_json::to_value(&*found).ok().filter(|found| !found.is_null())
    }
}

impl fmt::Debug for ResponseField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ResponseField").field(&self.as_str()).finish()
    }
}

impl PartialEq for ResponseField {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_expression_selects_and_a_wrong_one_is_named() {
        let field = ResponseField::parse("results[*].text | [0]").unwrap();
        assert_eq!(field.find(&json!({"results": [{"text": "a"}, {"text": "b"}]})), Some(json!("a")));
        assert_eq!(field.find(&json!({"other": 1})), None);
        assert!(ResponseField::parse("a[").is_err());
    }

    #[test]
    fn an_expression_of_many_levels_does_not_break_the_stack() {
        for level in ["(", "!", "[", "a.", "a|", "[].", "@.{a:", "not_null(", "sort_by(@,&", "a||", "[?"] {
            let deep = level.repeat(LONGEST / level.len());
            for text in [deep.clone(), format!("{deep}a"), deep.clone() + &")".repeat(9)] {
                let _ = ResponseField::parse(&text).map(|field| field.find(&json!({"a": [{"a": [[1]]}]})));
            }
            assert!(ResponseField::parse(&level.repeat(100_000)).is_err());
        }
    }

    #[test]
    fn an_expression_that_multiplies_the_answer_is_refused() {
        let doubled = vec!["[@, @][]"; 30].join(" | ");
        assert!(ResponseField::parse(&doubled).unwrap_err().contains("1000 times"));
    }

    proptest! {
        #[test]
        fn no_expression_panics(text in "[a-z.\\[\\]*|@&(){}'\"`0-9:, !=<>?-]{0,24}") {
            if let Ok(field) = ResponseField::parse(&text) {
                let _ = field.find(&json!({"a": [1, {"b": "c"}], "b": null}));
            }
        }
    }
}
