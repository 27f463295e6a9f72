//! Where the one model is that is served, and what it is called.

use std::{
    fs,
    path::{Path, PathBuf},
};

use exo_engine::tiny;
use exo_serving::Shelf;
use exo_wire::ModelId;

/// What the tiny model is called, so that nobody takes it for a model.
pub(crate) const TINY: &str = "exo-mobile/tiny-random";

/// A model in a directory. One that was made for this run goes with it.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) model: ModelId,
    pub(crate) directory: PathBuf,
    is_made: bool,
}

impl Place {
    /// The model of that directory, or a tiny one if there is none.
    pub(crate) fn of(directory: Option<&Path>, name: Option<&str>) -> Result<Self, String> {
        let Some(directory) = directory else { return Self::tiny(name.unwrap_or(TINY)) };
        let named = name.map(|name| ModelId::parse(name).map_err(|error| error.to_string())).transpose()?;
        let directory =
            directory.canonicalize().map_err(|error| format!("{}: {error}", directory.display()))?;
        let model = named.or_else(|| Shelf::model_of(&directory)).ok_or_else(|| {
            format!("{} is not named after a model: add --model-id ORG/NAME", directory.display())
        })?;
        Ok(Self { model, directory, is_made: false })
    }

    /// A tiny model with random weights.
    pub(crate) fn tiny(name: &str) -> Result<Self, String> {
        let model = ModelId::parse(name).map_err(|error| error.to_string())?;
        let directory = std::env::temp_dir().join(format!("exo-phone-tiny-{}", std::process::id()));
        tiny::write(&directory, 1).map_err(|error| error.to_string())?;
        Ok(Self { model, directory, is_made: true })
    }

    pub(crate) fn shelf(&self) -> Shelf {
        Shelf::default().with(self.model.clone(), &self.directory)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.is_made {
            // What is left behind is small, and in the system's own folder for that.
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_directory_names_its_model_unless_somebody_else_does() {
        let root = std::env::temp_dir().join(format!("exo-phone-place-{}", std::process::id()));
        let directory = root.join("org--model-4bit");
        fs::create_dir_all(&directory).unwrap();
        assert_eq!(Place::of(Some(&directory), None).unwrap().model.as_str(), "org/model-4bit");
        assert_eq!(Place::of(Some(&directory), Some("a/b")).unwrap().model.as_str(), "a/b");
        assert!(Place::of(Some(&directory), Some("../b")).unwrap_err().contains("not a model"));
        assert!(Place::of(Some(&root.join("none")), None).is_err());
        fs::remove_dir_all(root).unwrap();
    }
}
