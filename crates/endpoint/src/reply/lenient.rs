//! JSON fields read leniently: a value of the wrong type counts as absent. Servers differ in what they put into fields that nobody
//! needs, and one odd field must not lose the text next to it.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// A string, borrowed from the input if it has no escapes.
#[derive(Debug, Default, Clone)]
pub(crate) struct Text<'a>(pub(crate) Option<Cow<'a, str>>);

/// A count: a number that is not negative, its fraction dropped.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct CountField(pub(crate) Option<u64>);

/// A number.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct NumberField(pub(crate) Option<f64>);

/// Whether a value is truthy: not null, false, zero or empty.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Truthy(pub(crate) bool);

/// An object.
#[derive(Debug)]
pub(crate) struct Object<T>(pub(crate) Option<T>);

/// The objects of a list; items that are not objects are left out.
#[derive(Debug)]
pub(crate) struct Objects<T>(pub(crate) Vec<T>);

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        self.0.as_deref().unwrap_or_default()
    }
}

impl<T> Default for Object<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Default for Objects<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

/// Skips a list or an object that is not used here.
pub(crate) fn skip_seq<'de, A: SeqAccess<'de>>(mut seq: A) -> Result<(), A::Error> {
    while seq.next_element::<IgnoredAny>()?.is_some() {}
    Ok(())
}

pub(crate) fn skip_map<'de, A: MapAccess<'de>>(mut map: A) -> Result<(), A::Error> {
    while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
    Ok(())
}

/// The visits of a [`Visitor`] whose outcome is "nothing usable here", for those kinds of value that are named.
macro_rules! nothing_for {
    ($nothing:expr; $($kind:ident)*) => { $(nothing_for!(@ $kind $nothing);)* };
    (@ null $n:expr) => { fn visit_unit<E>(self) -> Result<Self::Value, E> { Ok($n) } };
    (@ boolean $n:expr) => { fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> { Ok($n) } };
    (@ number $n:expr) => {
        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> { Ok($n) }
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> { Ok($n) }
        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> { Ok($n) }
    };
    (@ string $n:expr) => { fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> { Ok($n) } };
    (@ list $n:expr) => {
        fn visit_seq<A: serde::de::SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
            $crate::reply::lenient::skip_seq(seq).map(|()| $n)
        }
    };
    (@ object $n:expr) => {
        fn visit_map<A: serde::de::MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            $crate::reply::lenient::skip_map(map).map(|()| $n)
        }
    };
}
pub(crate) use nothing_for;

macro_rules! expecting {
    ($text:literal) => {
        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str($text)
        }
    };
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;
        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;
            expecting!("a string");
            nothing_for!(Text(None); null boolean number list object);
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Some(Cow::Owned(text.to_owned()))))
            }
        }
        deserializer.deserialize_any(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for CountField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CountVisitor;
        impl<'de> Visitor<'de> for CountVisitor {
            type Value = CountField;
            expecting!("a count");
            nothing_for!(CountField(None); null boolean string list object);
            fn visit_u64<E>(self, value: u64) -> Result<CountField, E> {
                Ok(CountField(Some(value)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<CountField, E> {
                Ok(CountField(u64::try_from(value).ok()))
            }
            fn visit_f64<E>(self, value: f64) -> Result<CountField, E> {
                Ok(CountField((value >= 0.0 && value.is_finite()).then_some(value as u64)))
            }
        }
        deserializer.deserialize_any(CountVisitor)
    }
}

impl<'de> Deserialize<'de> for NumberField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NumberVisitor;
        impl<'de> Visitor<'de> for NumberVisitor {
            type Value = NumberField;
            expecting!("a number");
            nothing_for!(NumberField(None); null boolean string list object);
            fn visit_u64<E>(self, value: u64) -> Result<NumberField, E> {
                Ok(NumberField(Some(value as f64)))
            }
            fn visit_i64<E>(self, value: i64) -> Result<NumberField, E> {
                Ok(NumberField(Some(value as f64)))
            }
            fn visit_f64<E>(self, value: f64) -> Result<NumberField, E> {
                Ok(NumberField(Some(value)))
            }
        }
        deserializer.deserialize_any(NumberVisitor)
    }
}

impl<'de> Deserialize<'de> for Truthy {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TruthyVisitor;
        impl<'de> Visitor<'de> for TruthyVisitor {
            type Value = Truthy;
            expecting!("anything");
            nothing_for!(Truthy(false); null);
            fn visit_bool<E>(self, value: bool) -> Result<Truthy, E> {
                Ok(Truthy(value))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Truthy, E> {
                Ok(Truthy(value != 0))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Truthy, E> {
                Ok(Truthy(value != 0))
            }
            fn visit_f64<E>(self, value: f64) -> Result<Truthy, E> {
                Ok(Truthy(value != 0.0))
            }
            fn visit_str<E>(self, value: &str) -> Result<Truthy, E> {
                Ok(Truthy(!value.is_empty()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Truthy, A::Error> {
                let any = seq.next_element::<IgnoredAny>()?.is_some();
                skip_seq(seq).map(|()| Truthy(any))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Truthy, A::Error> {
                let any = map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some();
                skip_map(map).map(|()| Truthy(any))
            }
        }
        deserializer.deserialize_any(TruthyVisitor)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
            type Value = Object<T>;
            expecting!("an object");
            nothing_for!(Object(None); null boolean number string list);
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map)).map(|value| Object(Some(value)))
            }
        }
        deserializer.deserialize_any(ObjectVisitor(PhantomData))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Objects<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectsVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectsVisitor<T> {
            type Value = Objects<T>;
            expecting!("a list of objects");
            nothing_for!(Objects(Vec::new()); null boolean number string object);
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                // Nearly always there is one: a vector's own first guess would be four.
                let mut found = Vec::with_capacity(1);
                while let Some(Object(item)) = seq.next_element::<Object<T>>()? {
                    found.extend(item);
                }
                Ok(Objects(found))
            }
        }
        deserializer.deserialize_any(ObjectsVisitor(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[derive(Deserialize)]
    struct LenientRow<'a> {
        #[serde(default, borrow)]
        text: Text<'a>,
        #[serde(default)]
        count: CountField,
    }

    fn row(json: &str) -> (String, Option<u64>) {
        let row: LenientRow<'_> = serde_json::from_str(json).unwrap();
        (row.text.as_str().to_owned(), row.count.0)
    }

    #[test]
    fn a_value_of_the_wrong_type_counts_as_absent() {
        for odd in ["null", "true", "[1,{}]", r#"{"a":[]}"#] {
            assert_eq!(row(&format!(r#"{{"text":{odd},"count":{odd}}}"#)), (String::new(), None), "{odd}");
        }
        assert_eq!(row(r#"{"text":7,"count":"7"}"#), (String::new(), None));
        assert_eq!(row(r#"{"text":"a\n","count":7.0}"#), ("a\n".to_owned(), Some(7)));
        assert_eq!(row(r#"{"count":-1}"#), (String::new(), None));
    }

    #[test]
    fn a_string_without_escapes_is_borrowed() {
        let text: Text<'_> = serde_json::from_str("\"plain\"").unwrap();
        assert!(matches!(text.0, Some(Cow::Borrowed("plain"))));
    }

    #[test]
    fn items_that_are_not_objects_are_left_out_of_a_list() {
        let rows: Objects<LenientRow<'_>> = serde_json::from_str(r#"[1,{"count":2},null,"x",{"count":3}]"#).unwrap();
        assert_eq!(rows.0.iter().filter_map(|r| r.count.0).collect::<Vec<_>>(), [2, 3]);
        let none: Objects<LenientRow<'_>> = serde_json::from_str("null").unwrap();
        assert!(none.0.is_empty());
    }
}
