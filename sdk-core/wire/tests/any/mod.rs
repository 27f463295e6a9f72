//! Any value that the outgoing types can hold, from a seed.
//!
//! Every struct is built field by field and every enum by all of its variants, so the compiler tells when a type has
//! grown and this file has not.
#![allow(dead_code, reason = "each test binary uses a part")]

mod plain;
mod said;

/// A source of choices: the whole value depends on its seed alone.
#[derive(Debug, Clone)]
pub(crate) struct Dice {
    state: u64,
    sound: bool,
}

impl Dice {
    /// Throws whatever the types can hold.
    pub(crate) const fn seeded(seed: u64) -> Self {
        Self { state: seed, sound: false }
    }

    /// Throws every variant, but with numbers, ids and texts that mean something.
    pub(crate) const fn sound(seed: u64) -> Self {
        Self { state: seed, sound: true }
    }

    pub(crate) const fn is_sound(&self) -> bool {
        self.sound
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.bits() % bound as u64) as usize
    }

    pub(crate) fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }

    pub(crate) fn any<T: Any>(&mut self) -> T {
        T::any(self)
    }
}

/// Has any value.
pub(crate) trait Any {
    fn any(dice: &mut Dice) -> Self;
}

/// A struct with any value in each field.
macro_rules! any_struct {
    ($($type:ty { $($field:ident),* $(,)? })*) => {$(
        impl $crate::any::Any for $type {
            fn any(_dice: &mut $crate::any::Dice) -> Self {
                Self { $($field: _dice.any()),* }
            }
        }
    )*};
}

/// Any variant of an enum, each as likely as the others.
macro_rules! any_enum {
    (@make $dice:ident, $type:ident, $variant:ident ()) => { $type::$variant($dice.any()) };
    (@make $dice:ident, $type:ident, $variant:ident {}) => { $type::$variant {} };
    (@make $dice:ident, $type:ident, $variant:ident) => { $type::$variant };
    (@see $type:ident, $variant:ident ()) => { $type::$variant(_) };
    (@see $type:ident, $variant:ident {}) => { $type::$variant {} };
    (@see $type:ident, $variant:ident) => { $type::$variant };
    ($($type:ident { $($variant:ident $body:tt),* $(,)? })*) => {$(
        impl $crate::any::Any for $type {
            fn any(dice: &mut $crate::any::Dice) -> Self {
                let variants: &[fn(&mut $crate::any::Dice) -> Self] =
                    &[$(|_dice| $crate::any::any_enum!(@make _dice, $type, $variant $body)),*];
                let chosen = variants[dice.below(variants.len())](dice);
                // The compiler complains here of a variant that is not in the list above.
                match chosen {
                    $($crate::any::any_enum!(@see $type, $variant $body) => chosen,)*
                }
            }
        }
    )*};
}

/// Any variant of an enum whose variants carry nothing.
macro_rules! any_word {
    ($($type:ident { $($variant:ident),* $(,)? })*) => {$(
        impl $crate::any::Any for $type {
            fn any(dice: &mut $crate::any::Dice) -> Self {
                let words = [$($type::$variant),*];
                let chosen = words[dice.below(words.len())];
                match chosen {
                    $($type::$variant => chosen,)*
                }
            }
        }
    )*};
}

pub(crate) use {any_enum, any_struct, any_word};
