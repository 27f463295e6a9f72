//! Which device to use: a pure function over descriptions.
