//! Mathematical values: read from LaTeX or plain text, brought to an exact normal form, and compared.

mod budget;
mod compare;
mod expression;
mod normal_form;
mod number_theory;
mod numeric;
mod polynomial;
mod rational;
mod reader;
mod token;

pub(crate) use compare::{Equality, Tolerance, compare};
pub(crate) use expression::{MathValue, percent_of};
pub(crate) use rational::Rational;
pub(crate) use reader::read;
