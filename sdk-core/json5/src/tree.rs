//! Takes values out of a tree of JSON.
//!
//! `serde_json` does that too, and for more than settings need: a struct may be a list there, an enum may have contents, a
//! key may be a number. That would be generated for each of zenoh's hundred types, a quarter more than they need.

use std::{marker::PhantomData, mem, vec};

use serde::de::{
    self, DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor, value::StringDeserializer,
};
use serde_json::{Number, Value, map};

use super::{Deserializer, Error, Result};

impl Deserializer<'_> {
    fn of(value: Value) -> Self {
        Self(value, PhantomData)
    }

    fn take(&mut self) -> Value {
        mem::take(&mut self.0)
    }
}

/// Another kind of value than the setting has.
fn misplaced<T>(value: &Value) -> Result<T> {
    let kind = match value {
        Value::Null => "nothing",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    };
    Err(Error::custom(format_args!("{kind} stands where it does not belong")))
}

fn number<'de, V: Visitor<'de>>(number: &Number, visitor: V) -> Result<V::Value> {
    if let Some(number) = number.as_u64() {
        visitor.visit_u64(number)
    } else if let Some(number) = number.as_i64() {
        visitor.visit_i64(number)
    } else {
        visitor.visit_f64(number.as_f64().unwrap_or(f64::NAN))
    }
}

fn list<'de, V: Visitor<'de>>(items: Vec<Value>, visitor: V) -> Result<V::Value> {
    let mut items = Items(items.into_iter());
    let value = visitor.visit_seq(&mut items)?;
    if items.0.len() == 0 { Ok(value) } else { Err(Error::custom("a list is too long")) }
}

fn object<'de, V: Visitor<'de>>(fields: map::Map<String, Value>, visitor: V) -> Result<V::Value> {
    visitor.visit_map(Fields { rest: fields.into_iter(), value: Value::Null })
}

macro_rules! taken {
    ($($pattern:pat => $visit:expr, as $visitor:ident: $($method:ident($($kind:ty),*))*;)*) => {$($(
        fn $method<V: Visitor<'de>>(self, $(_: $kind,)* $visitor: V) -> Result<V::Value> {
            match self.take() {
                $pattern => $visit,
                other => misplaced(&other),
            }
        }
    )*)*};
}

impl<'de> de::Deserializer<'de> for &mut Deserializer<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        match self.take() {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(value) => number(&value, visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => list(items, visitor),
            Value::Object(fields) => object(fields, visitor),
        }
    }

    taken! {
        Value::Null => visitor.visit_unit(), as visitor: deserialize_unit() deserialize_unit_struct(&'static str);
        Value::Bool(value) => visitor.visit_bool(value), as visitor: deserialize_bool();
        Value::Number(value) => number(&value, visitor), as visitor:
            deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64()
            deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64()
            deserialize_f32() deserialize_f64();
        Value::String(text) => visitor.visit_string(text), as visitor:
            deserialize_char() deserialize_str() deserialize_string() deserialize_identifier();
        Value::String(name) => visitor.visit_enum(StringDeserializer::new(name)), as visitor:
            deserialize_enum(&'static str, &'static [&'static str]);
        Value::Array(items) => list(items, visitor), as visitor:
            deserialize_seq() deserialize_tuple(usize) deserialize_tuple_struct(&'static str, usize);
        Value::Object(fields) => object(fields, visitor), as visitor:
            deserialize_map() deserialize_struct(&'static str, &'static [&'static str]);
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! { bytes byte_buf }
}

struct Items(vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>> {
        self.0.next().map(|item| seed.deserialize(&mut Deserializer::of(item))).transpose()
    }
}

struct Fields {
    rest: map::IntoIter,
    value: Value,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>> {
        let Some((key, value)) = self.rest.next() else { return Ok(None) };
        self.value = value;
        seed.deserialize(&mut Deserializer::of(Value::String(key))).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value> {
        seed.deserialize(&mut Deserializer::of(mem::take(&mut self.value)))
    }
}
