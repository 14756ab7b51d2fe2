//! Deserializes the structs of a JSON body only from objects, and its integers from any number without a fraction, at
//! any depth.
//!
//! The code that `serde` derives for a struct also accepts an array, whose elements it assigns to the fields in the
//! order of their declaration. Here each struct requests a map instead. Every step wraps the next one by type
//! alone: nothing is read twice or buffered. An enum is read only from the name of a variant. Fields of enum
//! variants and flattened fields are not covered; no body has either.

use std::fmt;

use serde::Deserialize;
use serde::de::value::StrDeserializer;
use serde::de::{DeserializeSeed, Deserializer, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};

use crate::numbers;

/// A wrapper for one step: a deserializer, a visitor, a seed or an access.
pub(crate) struct ObjectsOnly<T>(pub(crate) T);

/// Like `serde_json::from_slice`, for JSON that is not the body of a request.
pub(crate) fn from_slice<'de, T: Deserialize<'de>>(
    json: &'de [u8],
) -> Result<T, serde_path_to_error::Error<serde_json::Error>> {
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(&mut deserializer, &mut track);
    let read = T::deserialize(ObjectsOnly(tracked)).and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|error| serde_path_to_error::Error::new(track.path(), error))
}

/// Methods of a deserializer that wrap the visitor.
macro_rules! deserialize {
    ($($method:ident($($argument:ident: $type:ty),*);)*) => {$(
        fn $method<V: Visitor<'de>>(self, $($argument: $type,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($argument,)* ObjectsOnly(visitor))
        }
    )*};
}

/// Methods of a deserializer for integers.
macro_rules! deserialize_whole {
    ($($method:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method(Whole(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectsOnly<D> {
    type Error = D::Error;

    deserialize! {
        deserialize_any();
        deserialize_bool();
        deserialize_f32();
        deserialize_f64();
        deserialize_char();
        deserialize_str();
        deserialize_string();
        deserialize_bytes();
        deserialize_byte_buf();
        deserialize_option();
        deserialize_unit();
        deserialize_unit_struct(name: &'static str);
        deserialize_newtype_struct(name: &'static str);
        deserialize_seq();
        deserialize_tuple(len: usize);
        deserialize_tuple_struct(name: &'static str, len: usize);
        deserialize_map();
        deserialize_identifier();
        deserialize_ignored_any();
    }

    deserialize_whole! {
        deserialize_i8;
        deserialize_i16;
        deserialize_i32;
        deserialize_i64;
        deserialize_i128;
        deserialize_u8;
        deserialize_u16;
        deserialize_u32;
        deserialize_u64;
        deserialize_u128;
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(ObjectsOnly(visitor))
    }

    /// `serde_json` reports anything but a text or an object here as a syntax error, without the expected variants.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_str(Choice { variants, visitor })
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

/// Methods of a visitor for values without nested values.
macro_rules! visit {
    ($($method:ident($type:ty);)*) => {$(
        fn $method<E: Error>(self, value: $type) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

/// The visitor of an integer.
struct Whole<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for Whole<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit! {
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        match numbers::whole(value) {
            Some(whole) => self.0.visit_i64(whole),
            None => self.0.visit_f64(value),
        }
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for ObjectsOnly<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    visit! {
        visit_bool(bool);
        visit_i64(i64);
        visit_i128(i128);
        visit_u64(u64);
        visit_u128(u128);
        visit_f64(f64);
        visit_str(&str);
        visit_borrowed_str(&'de str);
        visit_string(String);
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(ObjectsOnly(deserializer))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(ObjectsOnly(deserializer))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, elements: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(ObjectsOnly(elements))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(ObjectsOnly(entries))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for ObjectsOnly<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(ObjectsOnly(deserializer))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for ObjectsOnly<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(ObjectsOnly(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for ObjectsOnly<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        // A JSON key is text.
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(ObjectsOnly(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

/// Deserializes an enum from the name of one of its variants.
struct Choice<V> {
    variants: &'static [&'static str],
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Choice<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("one of ")?;
        for (at, name) in self.variants.iter().enumerate() {
            write!(f, "{}`{name}`", if at > 0 { ", " } else { "" })?;
        }
        Ok(())
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<V::Value, E> {
        let name: StrDeserializer<'_, E> = name.into_deserializer();
        self.visitor.visit_enum(name)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    struct Shelf {
        #[serde(default)]
        best: Option<Part>,
        #[serde(default)]
        parts: Vec<Part>,
        #[serde(default)]
        by_name: BTreeMap<String, Part>,
        #[serde(default)]
        corners: Vec<(u8, u8)>,
        #[serde(default)]
        kind: Option<Kind>,
        #[serde(default)]
        floor: Option<i64>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Part {
        name: String,
        n: u8,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    enum Kind {
        Open,
        Closed,
    }

    fn read(text: &str) -> Result<Shelf, String> {
        from_slice(text.as_bytes()).map_err(|error| error.inner().to_string())
    }

    #[test]
    fn objects_are_read_as_ever() {
        let part = |name: &str, n| Part { name: name.to_owned(), n };
        let text = r#"{"best": {"name": "rim", "n": 1}, "parts": [{"n": 2, "name": "disc"}], "other": [[1], {}],
                       "by_name": {"x": {"name": "pad", "n": 3}}, "corners": [[1, 2], [3, 4]], "kind": "Open"}"#;
        let expected = Shelf {
            best: Some(part("rim", 1)),
            parts: vec![part("disc", 2)],
            by_name: BTreeMap::from([("x".to_owned(), part("pad", 3))]),
            corners: vec![(1, 2), (3, 4)],
            kind: Some(Kind::Open),
            floor: None,
        };
        assert_eq!(read(text).unwrap(), expected);
        assert_eq!(read(r#"{"best": null, "kind": null}"#).unwrap(), Shelf::default());
        assert_eq!(read(r#"{"kind": "Closed"}"#).unwrap().kind, Some(Kind::Closed));
    }

    #[test]
    fn a_number_without_a_fraction_is_whole_however_it_is_written() {
        let shelf =
            read(r#"{"best": {"name": "rim", "n": 2e2}, "corners": [[1.0, 2]], "floor": -3.0}"#).unwrap();
        assert_eq!((shelf.best.unwrap().n, shelf.corners, shelf.floor), (200, vec![(1, 2)], Some(-3)));
        for text in [r#"{"floor": 1.5}"#, r#"{"floor": 1e300}"#, r#"{"best": {"name": "rim", "n": 256.0}}"#] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("invalid "), "{text}: {error}");
        }
    }

    #[test]
    fn an_array_is_no_object_at_any_depth() {
        for text in [
            r"[null, [], {}, [], null]",
            r#"{"best": ["rim", 1]}"#,
            r#"{"parts": [{"name": "disc", "n": 2}, ["rim", 1]]}"#,
            r#"{"by_name": {"x": ["rim", 1]}}"#,
        ] {
            let error = read(text).unwrap_err();
            assert!(error.starts_with("invalid type: sequence, expected struct "), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_no_name_of_a_variant_is_told_the_names() {
        for value in ["5", "true", "[]", "{}", r#"{"Open": null}"#, r#""Ajar""#] {
            let error = read(&format!(r#"{{"kind": {value}}}"#)).unwrap_err();
            assert!(error.contains(", expected ") && error.contains("`Open`"), "{value}: {error}");
        }
    }
}
