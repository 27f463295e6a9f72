//! What a function, filter, check or method was given.

use std::sync::Arc;

use super::Outcome;
use super::value::Value;

/// Arguments, by place and by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Given {
    pub(super) positional: Vec<Value>,
    pub(super) named: Vec<(Arc<str>, Value)>,
}

impl Given {
    /// The arguments under these names, wherever they were given. Others are an error.
    pub(super) fn bind<const N: usize>(self, names: [&str; N]) -> Outcome<[Option<Value>; N]> {
        if self.positional.len() > N {
            return Err(format!("{} arguments are more than {N}", self.positional.len()).into());
        }
        let mut places = self.positional.into_iter();
        let mut bound = std::array::from_fn(|_| places.next());
        for (name, value) in self.named {
            match names.iter().position(|known| *known == &*name) {
                Some(place) if bound[place].is_none() => bound[place] = Some(value),
                Some(_) => return Err(format!("the argument {name} comes twice").into()),
                None => return Err(format!("an argument {name} is not known here").into()),
            }
        }
        Ok(bound)
    }

    pub(super) fn nothing(self) -> Outcome<()> {
        self.bind([]).map(|[]| ())
    }

    /// The one argument there is.
    pub(super) fn one(self, name: &str) -> Outcome<Value> {
        let [value] = self.bind([name])?;
        value.ok_or_else(|| format!("the argument {name} is missing").into())
    }

    /// The first argument and the others, or all if none has a place.
    pub(super) fn split_first(mut self) -> Result<(Value, Self), Self> {
        if self.positional.is_empty() {
            return Err(self);
        }
        let first = self.positional.remove(0);
        Ok((first, self))
    }
}
