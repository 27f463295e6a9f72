//! Where exo keeps its models and Hugging Face its token on this computer, by the variables that both look at.

use std::{env, fs, path::PathBuf};

/// A variable that is set to something.
pub(super) fn setting(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// exo's own directory of models; `None` where nobody has a home.
pub(super) fn of_exo() -> Option<PathBuf> {
    chosen(cfg!(target_os = "linux"), setting)
}

fn chosen(is_linux: bool, setting: impl Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = || setting("HOME").map(PathBuf::from);
    if let Some(directory) = setting("EXO_DEFAULT_MODELS_DIR") {
        return match directory.strip_prefix("~/") {
            Some(rest) => Some(home()?.join(rest)),
            None => Some(directory.into()),
        };
    }
    let data = match (setting("EXO_HOME"), setting("XDG_DATA_HOME")) {
        (Some(exo), _) => home()?.join(exo),
        (None, Some(data)) if is_linux => PathBuf::from(data).join("exo"),
        (None, _) if is_linux => home()?.join(".local/share/exo"),
        (None, _) => home()?.join(".exo"),
    };
    Some(data.join("models"))
}

/// The token for models that are not for everybody.
pub(super) fn token() -> Option<String> {
    setting("HF_TOKEN").or_else(|| {
        let home = setting("HF_HOME").map(PathBuf::from);
        let home = home.or_else(|| Some(PathBuf::from(setting("HOME")?).join(".cache/huggingface")))?;
        fs::read_to_string(home.join("token"))
            .ok()
            .map(|token| token.trim().to_owned())
            .filter(|token| !token.is_empty())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(is_linux: bool, set: &[(&str, &str)]) -> Option<String> {
        let find =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        chosen(is_linux, find).map(|path| path.display().to_string())
    }

    #[test]
    fn models_lie_where_exo_looks_for_them() {
        let home = ("HOME", "/home/ada");
        let found = |is_linux, set: &[(&str, &str)]| place(is_linux, set).unwrap();
        assert_eq!(found(true, &[home]), "/home/ada/.local/share/exo/models");
        assert_eq!(found(true, &[home, ("XDG_DATA_HOME", "/data")]), "/data/exo/models");
        assert_eq!(found(false, &[home, ("XDG_DATA_HOME", "/data")]), "/home/ada/.exo/models");
        assert_eq!(found(true, &[home, ("EXO_HOME", ".my-exo")]), "/home/ada/.my-exo/models");
        assert_eq!(found(true, &[home, ("EXO_DEFAULT_MODELS_DIR", "/big/models")]), "/big/models");
        assert_eq!(found(true, &[home, ("EXO_DEFAULT_MODELS_DIR", "~/models")]), "/home/ada/models");
        assert_eq!(place(true, &[]), None);
    }
}
