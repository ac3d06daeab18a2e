//! Lists, tuples, sets, intervals, unions, relations and matrices.

use super::super::expression::{IntervalEnd, MathExpression, MathValue, RelationSign};
use super::super::token::MathToken;
use super::FormulaReader;

/// Elements of a collection, at most.
const MAX_ELEMENTS: usize = 200;

/// A set of `values` in which inner sets are dissolved. One value stays a value.
pub(super) fn flattened_set(values: Vec<MathValue>) -> MathValue {
    let mut elements = Vec::new();
    for value in values {
        match value {
            MathValue::Set(inner) => elements.extend(inner),
            other => elements.push(other),
        }
    }
    match elements.pop() {
        Some(only) if elements.is_empty() => only,
        last => {
            elements.extend(last);
            MathValue::Set(elements)
        }
    }
}

impl FormulaReader<'_> {
    /// A list without brackets, or one value.
    pub(super) fn whole(&mut self) -> Option<MathValue> {
        let mut values = vec![self.item()?];
        while self.take_mark(',') || self.take_mark(';') {
            // `1, 2, and 3` has two separators.
            while self.take_mark(';') {}
            if self.next().is_none() {
                break;
            }
            values.push(self.item()?);
            if values.len() > MAX_ELEMENTS {
                return None;
            }
        }
        if values.len() == 1 { values.pop() } else { Some(flattened_set(values)) }
    }

    /// A union of sets, a relation or an expression.
    fn item(&mut self) -> Option<MathValue> {
        self.deeper(|reader| {
            let start = reader.at;
            if let Some(first) = reader.collection() {
                let mut parts = vec![first];
                while reader.take_command(&["cup"]) {
                    parts.push(reader.collection()?);
                }
                if reader.ends_item() {
                    return if parts.len() == 1 { parts.pop() } else { Some(MathValue::Union(parts)) };
                }
            }
            reader.at = start;
            reader.relation()
        })
    }

    fn ends_item(&self) -> bool {
        match self.next() {
            None | Some(MathToken::Mark(',' | ';' | ')' | ']')) => true,
            Some(MathToken::Command(name)) => name == "}",
            _ => false,
        }
    }

    /// A tuple, interval, set, the empty set or a matrix.
    fn collection(&mut self) -> Option<MathValue> {
        if self.take_command(&["emptyset", "varnothing"]) {
            return Some(MathValue::Set(Vec::new()));
        }
        if self.take_command(&["{"]) {
            if self.take_command(&["}"]) {
                return Some(MathValue::Set(Vec::new()));
            }
            if self.has_condition() {
                return None;
            }
            let elements = self.elements()?;
            return self.take_command(&["}"]).then_some(MathValue::Set(elements));
        }
        if let Some(MathToken::Command(name)) = self.next() {
            let environment =
                name.strip_prefix("begin ").filter(|environment| environment.ends_with("matrix"))?.to_owned();
            self.at += 1;
            return self.matrix(&environment);
        }
        let open = if self.take_mark('(') {
            true
        } else if self.take_mark('[') {
            false
        } else {
            return None;
        };
        let mut elements = self.elements()?;
        let close = if self.take_mark(')') {
            true
        } else if self.take_mark(']') {
            false
        } else {
            return None;
        };
        if elements.len() < 2 {
            return None;
        }
        if open && close {
            return Some(MathValue::Tuple(elements));
        }
        if let [
            MathValue::Single(MathExpression::Number { value: low, .. }),
            MathValue::Single(MathExpression::Number { value: high, .. }),
        ] = elements.as_slice()
        {
            // `[3, 1]` is a list, because an interval starts with its lower end.
            if low > high {
                return Some(MathValue::Tuple(elements));
            }
        }
        let (Some(MathValue::Single(high)), Some(MathValue::Single(low)), true) =
            (elements.pop(), elements.pop(), elements.is_empty())
        else {
            return None;
        };
        Some(MathValue::Interval(IntervalEnd { at: low, open }, IntervalEnd { at: high, open: close }))
    }

    /// Whether the braces hold a condition, as in `\{x : x > 0\}`, instead of elements.
    fn has_condition(&self) -> bool {
        let inside =
            self.tokens[self.at..].iter().take_while(|token| !matches!(token, MathToken::Command(name) if name == "}"));
        inside.into_iter().any(|token| *token == MathToken::Mark(':'))
    }

    fn elements(&mut self) -> Option<Vec<MathValue>> {
        let mut elements = vec![self.item()?];
        while self.take_mark(',') || self.take_mark(';') {
            elements.push(self.item()?);
            if elements.len() > MAX_ELEMENTS {
                return None;
            }
        }
        Some(elements)
    }

    fn relation(&mut self) -> Option<MathValue> {
        let mut sides = vec![self.sum()?];
        let mut signs = Vec::new();
        if self.take_command(&["in"]) {
            return self.item();
        }
        while let Some(sign) = self.relation_sign() {
            signs.push(sign);
            sides.push(self.sum()?);
            if sides.len() > 10 {
                return None;
            }
        }
        if signs.is_empty() { sides.pop().map(MathValue::Single) } else { Some(MathValue::Relation { sides, signs }) }
    }

    fn relation_sign(&mut self) -> Option<RelationSign> {
        let sign = match self.next()? {
            MathToken::Mark('=') => RelationSign::Equal,
            MathToken::Mark('<') => RelationSign::Less,
            MathToken::Mark('>') => RelationSign::Greater,
            MathToken::Command(name) => match name.as_str() {
                "le" | "leq" | "leqslant" => RelationSign::LessOrEqual,
                "ge" | "geq" | "geqslant" => RelationSign::GreaterOrEqual,
                "lt" => RelationSign::Less,
                "gt" => RelationSign::Greater,
                "ne" | "neq" => RelationSign::NotEqual,
                _ => return None,
            },
            _ => return None,
        };
        self.at += 1;
        if matches!(sign, RelationSign::Less | RelationSign::Greater) && self.take_mark('=') {
            return Some(if sign == RelationSign::Less {
                RelationSign::LessOrEqual
            } else {
                RelationSign::GreaterOrEqual
            });
        }
        Some(sign)
    }

    fn matrix(&mut self, environment: &str) -> Option<MathValue> {
        let mut rows: Vec<Vec<MathExpression>> = vec![Vec::new()];
        loop {
            if self.take_command(&[&format!("end {environment}")]) {
                break;
            }
            let cell = self.sum()?;
            rows.last_mut()?.push(cell);
            if self.take_mark('&') {
            } else if self.take_command(&["\\"]) {
                rows.push(Vec::new());
            }
            if rows.len() > 20 {
                return None;
            }
        }
        if rows.last().is_some_and(Vec::is_empty) {
            rows.pop();
        }
        let width = rows.first()?.len();
        rows.iter().all(|row| row.len() == width).then_some(MathValue::Matrix(rows))
    }
}
