//! `quantization` of `config.json`: how MLX packed the matrices, as a rule and by name where a layer differs.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Fields, invalid};
use crate::{Error, Result};

/// How one matrix is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Affine {
    /// 4, 6 or 8.
    pub(crate) bits: u32,
    /// 32, 64 or 128.
    pub(crate) group: u32,
}

/// How all are. Empty for a model that is not quantised.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Quantisation {
    rule: Option<Affine>,
    /// Exceptions by the path of the matrix; `None` is a matrix that is not quantised.
    exceptions: BTreeMap<String, Option<Affine>>,
}

impl Quantisation {
    pub(crate) fn from_config(config: &Value) -> Result<Self> {
        let fields = Fields::of(config)?;
        let Some(quantization) = fields.object("quantization")? else {
            return match fields.object("quantization_config")? {
                None => Ok(Self::default()),
                Some(other) => Err(Error::Unsupported {
                    what: format!(
                        "quantisation by {}",
                        other.or("quant_method", "an unknown method".to_owned())?
                    ),
                    supported: "MLX affine".into(),
                }),
            };
        };
        let mut exceptions = BTreeMap::new();
        for (path, value) in quantization.entries() {
            match value {
                Value::Object(_) => {
                    exceptions.insert(path.clone(), Some(affine(Fields::of(value)?)?));
                }
                Value::Bool(false) => {
                    exceptions.insert(path.clone(), None);
                }
                _ => {} // A field of the rule.
            }
        }
        Ok(Self { rule: Some(affine(quantization)?), exceptions })
    }

    /// How the matrix of this path is packed, if it is packed at all: its scales tell that.
    pub(crate) fn of(&self, path: &str) -> Option<Affine> {
        self.exceptions.get(path).copied().unwrap_or(self.rule)
    }
}

fn affine(fields: Fields<'_>) -> Result<Affine> {
    let mode: String = fields.or("mode", "affine".into())?;
    if mode != "affine" {
        return Err(Error::Unsupported {
            what: format!("quantisation of mode {mode:?}"),
            supported: "affine".into(),
        });
    }
    let bits = match fields.need("bits")? {
        bits @ (4 | 6 | 8) => bits,
        other @ (2 | 3 | 5) => {
            return Err(Error::Unsupported {
                what: format!("{other}-bit weights"),
                supported: "4, 6 and 8 bits".into(),
            });
        }
        other => return Err(invalid(format!("quantization.bits is {other}"))),
    };
    let group = match fields.need("group_size")? {
        group @ (32 | 64 | 128) => group,
        other => {
            return Err(Error::Unsupported {
                what: format!("groups of {other} weights"),
                supported: "32, 64 and 128".into(),
            });
        }
    };
    Ok(Affine { bits, group })
}
