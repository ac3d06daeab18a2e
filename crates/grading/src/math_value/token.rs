//! The symbols of a LaTeX or plain formula.

use super::rational::Rational;

/// Characters of one formula, at most. A longer one is not read.
const MAX_LENGTH: usize = 2_000;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum MathToken {
    Number {
        value: Rational,
        decimal: bool,
    },
    Letter(char),
    /// A command without its backslash. `\{`, `\}`, `\%` and `\\` are `{`, `}`, `%` and `\`.
    Command(String),
    /// The contents of `\text{...}`.
    Words(String),
    Mark(char),
}

/// The tokens of a formula; `None` if it is too long or has a character that no formula has.
pub(crate) fn tokens(text: &str) -> Option<Vec<MathToken>> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let text = text.replace("{,}", ",").replace("\\!", "");
    let characters: Vec<char> = text.chars().collect();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        match character {
            '\\' => at = command(&characters, at, &mut found)?,
            '0'..='9' => at = number(&characters, at, &mut found)?,
            '.' if characters.get(at + 1).is_some_and(char::is_ascii_digit) => {
                at = number(&characters, at, &mut found)?;
            }
            'a'..='z' | 'A'..='Z' => at = letters(&characters, at, &mut found),
            '$' | '~' => at += 1,
            blank if blank.is_whitespace() => at += 1,
            '+' | '-' | '*' | '/' | '^' | '_' | '!' | '=' | '<' | '>' | ',' | ';' | ':' | '%' | '(' | ')' | '['
            | ']' | '{' | '}' | '|' | '&' | '\'' => {
                found.push(MathToken::Mark(character));
                at += 1;
            }
            other => {
                found.push(unicode(other)?);
                at += 1;
            }
        }
    }
    Some(found)
}

fn unicode(character: char) -> Option<MathToken> {
    let command = |name: &str| Some(MathToken::Command(name.to_owned()));
    match character {
        '−' | '–' => Some(MathToken::Mark('-')),
        '×' | '·' | '⋅' => Some(MathToken::Mark('*')),
        '÷' => Some(MathToken::Mark('/')),
        'π' => command("pi"),
        '√' => command("sqrt"),
        '∞' => command("infty"),
        '∪' => command("cup"),
        '≤' => command("le"),
        '≥' => command("ge"),
        '≠' => command("ne"),
        '±' => command("pm"),
        '°' => command("degree"),
        '∈' => command("in"),
        '∅' => command("emptyset"),
        letter if letter.is_alphabetic() => Some(MathToken::Letter(letter)),
        _ => None,
    }
}

/// A number from `at` on. Commas that separate groups of three digits are part of it.
fn number(characters: &[char], mut at: usize, found: &mut Vec<MathToken>) -> Option<usize> {
    let digit = |at: usize| characters.get(at).is_some_and(char::is_ascii_digit);
    let mut digits = String::new();
    while digit(at) {
        digits.push(characters[at]);
        at += 1;
    }
    if (1..=3).contains(&digits.len()) {
        while characters.get(at) == Some(&',') && (1..=3).all(|ahead| digit(at + ahead)) && !digit(at + 4) {
            digits.extend(&characters[at + 1..at + 4]);
            at += 4;
        }
    }
    // `\,` between digits is a thin space between groups.
    while characters.get(at) == Some(&'\\')
        && characters.get(at + 1) == Some(&',')
        && (2..=4).all(|ahead| digit(at + ahead))
    {
        digits.extend(&characters[at + 2..at + 5]);
        at += 5;
    }
    let mut decimal = false;
    if characters.get(at) == Some(&'.') && digit(at + 1) {
        decimal = true;
        digits.push('.');
        at += 1;
        while digit(at) {
            digits.push(characters[at]);
            at += 1;
        }
    } else if characters.get(at) == Some(&'.') && !digits.is_empty() && at + 1 == characters.len() {
        // The full stop of a sentence.
        at += 1;
    }
    found.push(MathToken::Number { value: Rational::from_decimal(&digits)?, decimal });
    Some(at)
}

/// A run of letters: a name with a known meaning, or one symbol for each letter.
fn letters(characters: &[char], at: usize, found: &mut Vec<MathToken>) -> usize {
    let end =
        characters[at..].iter().position(|c| !c.is_ascii_alphabetic()).map_or(characters.len(), |length| at + length);
    let word: String = characters[at..end].iter().collect();
    match word.as_str() {
        "pi" | "sqrt" | "sin" | "cos" | "tan" | "cot" | "sec" | "csc" | "log" | "ln" | "frac" | "gcd" | "lcm" => {
            found.push(MathToken::Command(word));
        }
        "inf" | "infinity" | "Infinity" | "oo" => found.push(MathToken::Command("infty".to_owned())),
        "and" | "or" => found.push(MathToken::Mark(';')),
        "percent" | "percentage" | "pct" => found.push(MathToken::Mark('%')),
        "degrees" => found.push(MathToken::Command("degree".to_owned())),
        _ => found.extend(word.chars().map(MathToken::Letter)),
    }
    end
}

fn command(characters: &[char], at: usize, found: &mut Vec<MathToken>) -> Option<usize> {
    let first = *characters.get(at + 1)?;
    if !first.is_ascii_alphabetic() {
        match first {
            '{' | '}' | '%' | '\\' => found.push(MathToken::Command(first.to_string())),
            '|' => found.push(MathToken::Mark('|')),
            // Blanks of several widths, an escaped dollar sign, and the delimiters of math mode.
            ',' | ';' | ':' | '!' | ' ' | '$' | '(' | ')' | '[' | ']' | '\n' | '&' => {}
            _ => return None,
        }
        return Some(at + 2);
    }
    let end = characters[at + 1..]
        .iter()
        .position(|c| !c.is_ascii_alphabetic())
        .map_or(characters.len(), |length| at + 1 + length);
    let name: String = characters[at + 1..end].iter().collect();
    match name.as_str() {
        "left" | "right" | "mleft" | "mright" => {
            // `\left.` has no bracket.
            return Some(if characters.get(end) == Some(&'.') { end + 1 } else { end });
        }
        "displaystyle" | "textstyle" | "big" | "Big" | "bigg" | "Bigg" | "bigl" | "bigr" | "Bigl" | "Bigr" | "quad"
        | "qquad" | "limits" | "boldsymbol" | "mathbf" | "mathit" | "mathsf" => {}
        "dfrac" | "tfrac" | "cfrac" => found.push(MathToken::Command("frac".to_owned())),
        "dbinom" | "tbinom" => found.push(MathToken::Command("binom".to_owned())),
        "lbrace" => found.push(MathToken::Command("{".to_owned())),
        "rbrace" => found.push(MathToken::Command("}".to_owned())),
        "lbrack" => found.push(MathToken::Mark('[')),
        "rbrack" => found.push(MathToken::Mark(']')),
        "vert" | "lvert" | "rvert" | "mid" => found.push(MathToken::Mark('|')),
        "text" | "mbox" | "textbf" | "textit" | "textrm" | "textnormal" | "mathrm" | "operatorname" => {
            return words(characters, end, found);
        }
        "begin" | "end" => {
            let close = characters[end..].iter().position(|c| *c == '}')? + end;
            let environment: String = characters[end..close].iter().filter(|c| c.is_alphabetic()).collect();
            found.push(MathToken::Command(format!("{name} {environment}")));
            return Some(close + 1);
        }
        _ => found.push(MathToken::Command(name)),
    }
    Some(end)
}

/// The braces after `\text`.
fn words(characters: &[char], mut at: usize, found: &mut Vec<MathToken>) -> Option<usize> {
    while characters.get(at).is_some_and(|c| c.is_whitespace()) {
        at += 1;
    }
    if characters.get(at) != Some(&'{') {
        return Some(at);
    }
    let close = characters[at..].iter().position(|c| *c == '}')? + at;
    let content: String = characters[at + 1..close].iter().collect();
    match content.trim() {
        "" => {}
        "and" | "or" => found.push(MathToken::Mark(';')),
        "percent" | "\\%" | "%" => found.push(MathToken::Mark('%')),
        name @ ("gcd" | "lcm" | "arcsin" | "arccos" | "arctan") => found.push(MathToken::Command(name.to_owned())),
        _ => found.push(MathToken::Words(content)),
    }
    Some(close + 1)
}
