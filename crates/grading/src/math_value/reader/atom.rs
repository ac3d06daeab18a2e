//! The smallest parts of a formula: numbers, symbols, brackets, fractions, roots and function calls, with what follows them.

use super::super::expression::{Constant, MathExpression, MathFunction};
use super::super::token::MathToken;
use super::FormulaReader;

/// Whether a command begins a factor.
pub(super) fn starts(name: &str) -> bool {
    matches!(name, "frac" | "sqrt" | "binom" | "lfloor" | "lceil" | "pi" | "infty" | "exp" | "log" | "ln" | "lg")
        || function(name).is_some()
        || greek(name)
}

fn function(name: &str) -> Option<MathFunction> {
    Some(match name {
        "sin" => MathFunction::Sin,
        "cos" => MathFunction::Cos,
        "tan" => MathFunction::Tan,
        "cot" => MathFunction::Cot,
        "sec" => MathFunction::Sec,
        "csc" => MathFunction::Csc,
        "arcsin" => MathFunction::Arcsin,
        "arccos" => MathFunction::Arccos,
        "arctan" => MathFunction::Arctan,
        "sinh" => MathFunction::Sinh,
        "cosh" => MathFunction::Cosh,
        "tanh" => MathFunction::Tanh,
        "min" => MathFunction::Minimum,
        "max" => MathFunction::Maximum,
        "gcd" => MathFunction::Gcd,
        "lcm" => MathFunction::Lcm,
        _ => return None,
    })
}

fn greek(name: &str) -> bool {
    matches!(
        name,
        "alpha"
            | "beta"
            | "gamma"
            | "delta"
            | "epsilon"
            | "varepsilon"
            | "zeta"
            | "eta"
            | "theta"
            | "vartheta"
            | "iota"
            | "kappa"
            | "lambda"
            | "mu"
            | "nu"
            | "xi"
            | "rho"
            | "sigma"
            | "tau"
            | "phi"
            | "varphi"
            | "chi"
            | "psi"
            | "omega"
            | "Gamma"
            | "Delta"
            | "Theta"
            | "Lambda"
            | "Xi"
            | "Sigma"
            | "Phi"
            | "Psi"
            | "Omega"
            | "ell"
            | "hbar"
    )
}

impl FormulaReader<'_> {
    /// An atom with its powers, factorials and percent signs.
    pub(super) fn factor(&mut self) -> Option<MathExpression> {
        self.deeper(|reader| {
            let mut value = reader.atom()?;
            loop {
                if reader.take_mark('!') {
                    value = MathExpression::Call(MathFunction::Factorial, vec![value]);
                } else if reader.take_mark('%') || reader.take_command(&["%"]) {
                    value = MathExpression::Percent(Box::new(value));
                } else if reader.take_command(&["degree", "circ"]) {
                } else if reader.take_mark('^') {
                    match reader.exponent()? {
                        Exponent::Degree => {}
                        Exponent::Power(power) => value = MathExpression::Power(Box::new(value), Box::new(power)),
                    }
                } else {
                    return Some(value);
                }
            }
        })
    }

    fn exponent(&mut self) -> Option<Exponent> {
        if self.take_command(&["circ", "degree"]) {
            return Some(Exponent::Degree);
        }
        let braced = self.is_mark('{');
        if braced
            && matches!(self.tokens.get(self.at + 1), Some(MathToken::Command(name)) if name == "circ" || name == "degree")
        {
            self.at += 2;
            return self.take_mark('}').then_some(Exponent::Degree);
        }
        if braced {
            return self.group().map(Exponent::Power);
        }
        // Without braces LaTeX takes one symbol; plain text takes a whole number, a sign or a bracket.
        let negative = self.sign().unwrap_or(false);
        let power = self.deeper(Self::atom)?;
        Some(Exponent::Power(if negative { power.negated() } else { power }))
    }

    /// `{...}`, or one atom.
    fn group(&mut self) -> Option<MathExpression> {
        if !self.take_mark('{') {
            return self.deeper(Self::one_symbol);
        }
        let inner = self.deeper(Self::sum)?;
        self.take_mark('}').then_some(inner)
    }

    /// What a command without braces takes: `\frac12` is a half.
    fn one_symbol(&mut self) -> Option<MathExpression> {
        self.atom()
    }

    fn atom(&mut self) -> Option<MathExpression> {
        match self.next()?.clone() {
            MathToken::Number { value, decimal } => {
                self.at += 1;
                if self.is_mark('_') {
                    let base = self.subscript()?;
                    return Some(MathExpression::Symbol(format!("{value}_{base}")));
                }
                Some(MathExpression::Number { value, decimal })
            }
            MathToken::Letter(letter) => {
                self.at += 1;
                self.symbol(letter.to_string())
            }
            MathToken::Words(words) => {
                self.at += 1;
                Some(MathExpression::Symbol(words.trim().to_owned()))
            }
            MathToken::Mark('(') => self.bracketed(')'),
            MathToken::Mark('[') => self.bracketed(']'),
            MathToken::Mark('{') => self.group(),
            MathToken::Mark('|') => self.bars(),
            MathToken::Mark(_) => None,
            MathToken::Command(name) => {
                self.at += 1;
                self.command(&name)
            }
        }
    }

    fn bracketed(&mut self, close: char) -> Option<MathExpression> {
        self.at += 1;
        let outside = std::mem::take(&mut self.in_bars);
        let inner = self.deeper(Self::sum);
        self.in_bars = outside;
        let inner = inner?;
        self.take_mark(close).then_some(inner)
    }

    fn bars(&mut self) -> Option<MathExpression> {
        if self.in_bars {
            return None;
        }
        self.at += 1;
        self.in_bars = true;
        let inner = self.deeper(Self::sum);
        self.in_bars = false;
        let inner = inner?;
        self.take_mark('|').then(|| MathExpression::Call(MathFunction::Absolute, vec![inner]))
    }

    fn subscript(&mut self) -> Option<String> {
        self.at += 1;
        let plain = |token: &MathToken| match token {
            MathToken::Number { value, .. } => Some(value.to_string()),
            MathToken::Letter(letter) => Some(letter.to_string()),
            MathToken::Words(words) | MathToken::Command(words) => Some(words.trim().to_owned()),
            MathToken::Mark(',' | '+' | '-') => Some(",".to_owned()),
            MathToken::Mark(_) => None,
        };
        if !self.take_mark('{') {
            let name = plain(self.next()?)?;
            self.at += 1;
            return Some(name);
        }
        let mut name = String::new();
        while !self.take_mark('}') {
            name += &plain(self.next()?)?;
            self.at += 1;
        }
        Some(name)
    }

    fn symbol(&mut self, name: String) -> Option<MathExpression> {
        let mut name = name;
        while self.is_mark('_') {
            name = format!("{name}_{}", self.subscript()?);
        }
        while self.take_mark('\'') {
            name.push('\'');
        }
        if matches!(name.as_str(), "f" | "g" | "h") && self.is_mark('(') {
            let arguments = self.arguments()?;
            return Some(MathExpression::NamedCall(name, arguments));
        }
        Some(match name.as_str() {
            "e" => MathExpression::Constant(Constant::Euler),
            "i" => MathExpression::Constant(Constant::ImaginaryUnit),
            _ => MathExpression::Symbol(name),
        })
    }

    /// `(a, b)` after the name of a function.
    fn arguments(&mut self) -> Option<Vec<MathExpression>> {
        self.at += 1;
        let mut arguments = vec![self.deeper(Self::sum)?];
        while self.take_mark(',') {
            arguments.push(self.deeper(Self::sum)?);
        }
        self.take_mark(')').then_some(arguments)
    }

    fn command(&mut self, name: &str) -> Option<MathExpression> {
        match name {
            "pi" => Some(MathExpression::Constant(Constant::Pi)),
            "infty" => Some(MathExpression::Constant(Constant::Infinity)),
            "frac" => self.fraction(),
            "binom" => {
                let above = self.group()?;
                Some(MathExpression::Call(MathFunction::Binomial, vec![above, self.group()?]))
            }
            "sqrt" => self.root(),
            "lfloor" | "lceil" => {
                let inner = self.deeper(Self::sum)?;
                let (close, function) =
                    if name == "lfloor" { ("rfloor", MathFunction::Floor) } else { ("rceil", MathFunction::Ceiling) };
                self.take_command(&[close]).then(|| MathExpression::Call(function, vec![inner]))
            }
            "exp" => {
                let power = self.argument()?;
                Some(MathExpression::Power(Box::new(MathExpression::Constant(Constant::Euler)), Box::new(power)))
            }
            "ln" | "log" | "lg" => self.logarithm(name),
            name if greek(name) => self.symbol(format!("\\{name}")),
            name => self.call(function(name)?),
        }
    }

    /// `\frac{a}{b}`, `\frac12` and `\frac1{2}`.
    fn fraction(&mut self) -> Option<MathExpression> {
        if let Some(MathToken::Number { value, decimal: false }) = self.next() {
            let digits = value.to_string();
            if let (Some(first), true) = (digits.chars().next(), digits.len() > 1) {
                self.at += 1;
                let part = |text: &str| Some(MathExpression::integer(text.parse().ok()?));
                return Some(MathExpression::Quotient(
                    Box::new(part(&first.to_string())?),
                    Box::new(part(&digits[1..])?),
                ));
            }
        }
        let above = self.group()?;
        Some(MathExpression::Quotient(Box::new(above), Box::new(self.group()?)))
    }

    fn root(&mut self) -> Option<MathExpression> {
        let degree = if self.take_mark('[') {
            let degree = self.deeper(Self::sum)?;
            if !self.take_mark(']') {
                return None;
            }
            degree
        } else {
            MathExpression::integer(2)
        };
        // `\sqrt12` is the root of 1, times 2; nobody means that.
        if matches!(self.next(), Some(MathToken::Number { value, .. }) if value.to_f64() >= 10.0) {
            return None;
        }
        let radicand = self.group()?;
        let exponent = MathExpression::Quotient(Box::new(MathExpression::integer(1)), Box::new(degree));
        Some(MathExpression::Power(Box::new(radicand), Box::new(exponent)))
    }

    fn logarithm(&mut self, name: &str) -> Option<MathExpression> {
        let base = if self.is_mark('_') {
            self.at += 1;
            Some(self.group()?)
        } else {
            (name != "ln").then(|| MathExpression::integer(10))
        };
        let argument = self.argument()?;
        let ln = |value: MathExpression| MathExpression::Call(MathFunction::Ln, vec![value]);
        Some(match base {
            Some(base) => MathExpression::Quotient(Box::new(ln(argument)), Box::new(ln(base))),
            None => ln(argument),
        })
    }

    /// What a function without brackets applies to: the factors that follow.
    fn argument(&mut self) -> Option<MathExpression> {
        if self.is_mark('(') || self.is_mark('{') {
            return self.deeper(Self::factor);
        }
        self.deeper(|reader| {
            let mut factors = vec![reader.signed_factor()?];
            while matches!(reader.next(), Some(MathToken::Number { .. } | MathToken::Letter(_)))
                || reader.is_command("pi")
                || reader.is_command("frac")
            {
                factors.push(reader.factor()?);
            }
            Some(Self::multiplied(factors))
        })
    }

    fn call(&mut self, function: MathFunction) -> Option<MathExpression> {
        let power = if self.take_mark('^') { Some(self.group()?) } else { None };
        let several =
            matches!(function, MathFunction::Minimum | MathFunction::Maximum | MathFunction::Gcd | MathFunction::Lcm);
        let arguments = if several {
            if !self.is_mark('(') {
                return None;
            }
            self.arguments()?
        } else {
            vec![self.argument()?]
        };
        let call = MathExpression::Call(function, arguments);
        Some(match power {
            Some(power) => MathExpression::Power(Box::new(call), Box::new(power)),
            None => call,
        })
    }
}

enum Exponent {
    /// `^\circ` says that the number is an angle in degrees, and does not change it.
    Degree,
    Power(MathExpression),
}
