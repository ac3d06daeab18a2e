//! Reads a formula, a list, a set, an interval, a relation or a matrix from tokens.

mod atom;
mod collection;

use super::expression::{MathExpression, MathValue};
use super::token::{MathToken, tokens};

/// Nested parts of a formula, at most. A bracket is up to four of them.
const MAX_DEPTH: usize = 120;

/// Attempts to read a part, at most. A bracket is read as a collection first and then as a factor, so that nested brackets
/// without this limit take a time that doubles with each.
const MAX_ATTEMPTS: usize = 20_000;

/// The value of a formula; `None` if it cannot be read as a whole.
pub(crate) fn read(text: &str) -> Option<MathValue> {
    let tokens = without_units(tokens(text)?);
    if tokens.is_empty() {
        return None;
    }
    if let Some(words) = only_words(&tokens) {
        return Some(MathValue::Words(words));
    }
    let has_sign_pair =
        tokens.iter().any(|token| matches!(token, MathToken::Command(name) if name == "pm" || name == "mp"));
    if has_sign_pair {
        let both: Option<Vec<MathValue>> = [false, true].into_iter().map(|minus| read_tokens(&tokens, minus)).collect();
        return Some(collection::flattened_set(both?));
    }
    read_tokens(&tokens, false)
}

fn read_tokens(tokens: &[MathToken], minus: bool) -> Option<MathValue> {
    let mut reader = FormulaReader { tokens, at: 0, depth: 0, attempts: 0, minus, in_bars: false };
    let value = reader.whole()?;
    (reader.at == tokens.len()).then_some(value)
}

/// The tokens without the units, degrees and full stops after the last value.
fn without_units(mut tokens: Vec<MathToken>) -> Vec<MathToken> {
    let is_words = |token: &MathToken| matches!(token, MathToken::Words(_));
    if tokens.iter().all(is_words) {
        return tokens;
    }
    loop {
        let exponent = match tokens.as_slice() {
            [.., MathToken::Words(_), MathToken::Mark('^'), MathToken::Number { .. }] => 2,
            [
                ..,
                MathToken::Words(_),
                MathToken::Mark('^'),
                MathToken::Mark('{'),
                MathToken::Number { .. },
                MathToken::Mark('}'),
            ] => 4,
            [.., _, MathToken::Words(_)] => 0,
            _ => return tokens,
        };
        tokens.truncate(tokens.len() - exponent - 1);
    }
}

fn only_words(tokens: &[MathToken]) -> Option<String> {
    let words: Option<Vec<&str>> = tokens
        .iter()
        .map(|token| if let MathToken::Words(words) = token { Some(words.trim()) } else { None })
        .collect();
    words.map(|words| words.join(" "))
}

struct FormulaReader<'t> {
    tokens: &'t [MathToken],
    at: usize,
    depth: usize,
    attempts: usize,
    /// What `\pm` stands for in this reading.
    minus: bool,
    /// Inside `|...|`, where a bar closes.
    in_bars: bool,
}

impl FormulaReader<'_> {
    fn next(&self) -> Option<&MathToken> {
        self.tokens.get(self.at)
    }

    fn is_mark(&self, mark: char) -> bool {
        self.next() == Some(&MathToken::Mark(mark))
    }

    fn is_command(&self, name: &str) -> bool {
        matches!(self.next(), Some(MathToken::Command(command)) if command == name)
    }

    fn take_mark(&mut self, mark: char) -> bool {
        let found = self.is_mark(mark);
        self.at += usize::from(found);
        found
    }

    fn take_command(&mut self, names: &[&str]) -> bool {
        let found = names.iter().any(|name| self.is_command(name));
        self.at += usize::from(found);
        found
    }

    /// Runs `read` one bracket deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.attempts += 1;
        if self.depth >= MAX_DEPTH || self.attempts > MAX_ATTEMPTS {
            return None;
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn sum(&mut self) -> Option<MathExpression> {
        let mut terms = Vec::new();
        let mut negative = self.sign().unwrap_or(false);
        loop {
            let term = self.product()?;
            terms.push(if negative { term.negated() } else { term });
            let Some(sign) = self.sign() else { break };
            negative = sign;
        }
        if terms.len() == 1 { terms.pop() } else { Some(MathExpression::Sum(terms)) }
    }

    /// The signs at this place, if there are any: whether they make a minus.
    fn sign(&mut self) -> Option<bool> {
        let mut negative = None;
        loop {
            let minus = if self.take_mark('+') {
                false
            } else if self.take_mark('-') {
                true
            } else if self.take_command(&["pm"]) {
                self.minus
            } else if self.take_command(&["mp"]) {
                !self.minus
            } else {
                return negative;
            };
            negative = Some(negative.unwrap_or(false) != minus);
        }
    }

    fn product(&mut self) -> Option<MathExpression> {
        let mut factors = vec![self.factor()?];
        loop {
            if self.take_mark('*') || self.take_command(&["cdot", "times", "ast"]) {
                let factor = self.signed_factor()?;
                factors.push(factor);
            } else if self.take_mark('/') || self.take_mark(':') || self.take_command(&["div"]) {
                let divisor = self.signed_factor()?;
                let dividend = Self::multiplied(factors);
                factors = vec![MathExpression::Quotient(Box::new(dividend), Box::new(divisor))];
            } else if self.starts_factor() {
                let mixed = self.starts_mixed_fraction(&factors);
                let factor = self.factor()?;
                match (mixed, factors.pop()) {
                    (true, Some(whole)) => factors.push(MathExpression::Sum(vec![whole, factor])),
                    (_, last) => factors.extend(last.into_iter().chain([factor])),
                }
            } else {
                return Some(Self::multiplied(factors));
            }
        }
    }

    fn multiplied(mut factors: Vec<MathExpression>) -> MathExpression {
        match factors.pop() {
            Some(only) if factors.is_empty() => only,
            last => {
                factors.extend(last);
                MathExpression::Product(factors)
            }
        }
    }

    fn signed_factor(&mut self) -> Option<MathExpression> {
        let negative = self.sign().unwrap_or(false);
        let factor = self.factor()?;
        Some(if negative { factor.negated() } else { factor })
    }

    /// `3\frac{1}{2}`: an integer directly before a fraction of two integers is a mixed number.
    fn starts_mixed_fraction(&self, factors: &[MathExpression]) -> bool {
        let [MathExpression::Number { value, decimal: false }] = factors else { return false };
        let number = |at: usize| matches!(self.tokens.get(at), Some(MathToken::Number { decimal: false, .. }));
        let mark = |at: usize, mark: char| self.tokens.get(at) == Some(&MathToken::Mark(mark));
        let in_braces = |at: usize| mark(at, '{') && number(at + 1) && mark(at + 2, '}');
        value.is_integer()
            && self.is_command("frac")
            && (in_braces(self.at + 1) && in_braces(self.at + 4) || number(self.at + 1))
    }

    fn starts_factor(&self) -> bool {
        match self.next() {
            Some(MathToken::Number { .. } | MathToken::Letter(_) | MathToken::Words(_)) => true,
            Some(MathToken::Mark(mark)) => matches!(mark, '(' | '{' | '[') || *mark == '|' && !self.in_bars,
            Some(MathToken::Command(name)) => atom::starts(name),
            None => false,
        }
    }
}
