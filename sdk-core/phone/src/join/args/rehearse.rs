//! The script of a rehearsal, as tests write it: `token=5,load=50,room=4000000000,stored=no`. Times are milliseconds.

use std::time::Duration;

use exo_node::worker::rehearsal::Script;

/// The script, or what to write instead.
pub(super) fn script(text: &str) -> Result<Script, String> {
    let mut script = Script::default();
    for line in text.split(',').filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once('=').ok_or(format!("{line}: write NAME=VALUE"))?;
        let number = || value.parse::<u64>().map_err(|_| format!("{name}={value}: write a number"));
        let milliseconds = || number().map(Duration::from_millis);
        match name {
            "room" => script.room = number()?,
            "at_once" => script.at_once = number()? as usize,
            "stored" => script.stored = value == "yes",
            "fetch" => script.fetch = milliseconds()?,
            "load" => script.load = milliseconds()?,
            "read" => script.read = milliseconds()?,
            "token" => script.token = milliseconds()?,
            "bad_loads" => script.bad_loads = number()? as u32,
            "unsuitable" => value.clone_into(&mut script.unsuitable),
            _ => {
                return Err(format!(
                    "{name} is not in the script: write room, at_once, stored, fetch, load, read, token, bad_loads or unsuitable"
                ));
            }
        }
    }
    Ok(script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_or_the_fault_is_named() {
        let read = script("token=5,stored=no,unsuitable=Big").unwrap();
        assert_eq!(
            (read.token, read.stored, read.unsuitable.as_str()),
            (Duration::from_millis(5), false, "Big")
        );
        assert_eq!(script("").unwrap(), Script::default());
        for wrong in ["token", "token=fast", "speed=5"] {
            assert!(script(wrong).unwrap_err().contains("write"), "{wrong}");
        }
    }
}
