//! Hosts where a cluster was joined before: the next search asks them first.

use std::{
    net::IpAddr,
    path::{Path, PathBuf},
};

use super::files;

const MOST: usize = 8;
const LONGEST: u64 = 1024;
const NAME: &str = "hosts";

/// The hosts, best first, and the file that keeps them.
#[derive(Debug)]
pub(super) struct PastHosts {
    path: PathBuf,
    hosts: Vec<IpAddr>,
}

impl PastHosts {
    /// What this directory remembers. A file that cannot be read or understood remembers nothing.
    pub(super) fn load(directory: &Path) -> Self {
        let path = directory.join(NAME);
        let text = files::read(&path, LONGEST).ok().flatten().unwrap_or_default();
        let hosts = text.lines().filter_map(|line| line.parse().ok()).take(MOST).collect();
        Self { path, hosts }
    }

    /// The hosts, best first.
    pub(super) fn hosts(&self) -> &[IpAddr] {
        &self.hosts
    }

    /// A cluster was joined there. Addresses that mean something only here and now are not kept.
    pub(super) fn joined(&mut self, host: IpAddr) {
        let lasting = match host {
            IpAddr::V4(v4) => !v4.is_loopback(),
            IpAddr::V6(v6) => !v6.is_loopback() && !v6.is_unicast_link_local(),
        };
        if !lasting || self.hosts.first() == Some(&host) {
            return;
        }
        self.hosts.retain(|known| *known != host);
        self.hosts.insert(0, host);
        self.hosts.truncate(MOST);
        let lines: Vec<String> = self.hosts.iter().map(ToString::to_string).collect();
        // A memory that cannot be kept costs the next search a second.
        let _ = files::replace(&self.path, &(lines.join("\n") + "\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::files::tests::Directory;

    fn ip(last: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, last])
    }

    #[test]
    fn the_last_host_comes_first_and_few_are_kept() {
        let directory = Directory::new("hosts");
        let mut hosts = PastHosts::load(&directory.0);
        for last in 1..=20 {
            hosts.joined(ip(last));
        }
        hosts.joined(ip(15));
        let again = PastHosts::load(&directory.0);
        assert_eq!(again.hosts(), hosts.hosts());
        assert_eq!(again.hosts().len(), MOST);
        assert_eq!(again.hosts()[..2], [ip(15), ip(20)]);
    }

    #[test]
    fn what_is_only_here_is_not_kept() {
        let directory = Directory::new("local-hosts");
        let mut hosts = PastHosts::load(&directory.0);
        for local in ["127.0.0.1", "::1", "fe80::1"] {
            hosts.joined(local.parse().unwrap());
        }
        assert!(hosts.hosts().is_empty());
    }

    #[test]
    fn a_broken_file_remembers_nothing() {
        let directory = Directory::new("broken-hosts");
        std::fs::write(directory.0.join(NAME), [0xff; 4096]).unwrap();
        assert!(PastHosts::load(&directory.0).hosts().is_empty());
    }
}
