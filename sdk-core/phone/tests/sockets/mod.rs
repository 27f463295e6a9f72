//! The sockets of a process, as the kernel lists them.

use std::{
    collections::BTreeSet,
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
};

/// One socket of the internet families.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Socket {
    pub(crate) is_udp: bool,
    pub(crate) local: IpAddr,
    pub(crate) port: u16,
    /// Where it is connected to.
    pub(crate) remote: Option<IpAddr>,
}

/// The sockets that this process has open now.
pub(crate) fn of(pid: u32) -> BTreeSet<Socket> {
    let process = Path::new("/proc").join(pid.to_string());
    let inodes = inodes(&process.join("fd"));
    let mut sockets = BTreeSet::new();
    for (table, is_udp) in [("tcp", false), ("tcp6", false), ("udp", true), ("udp6", true)] {
        let text = fs::read_to_string(process.join("net").join(table)).unwrap_or_default();
        for line in text.lines().skip(1) {
            let fields: Vec<&str> = line.split_whitespace().collect();
            if fields.get(9).is_some_and(|inode| inodes.contains(*inode)) {
                let (local, port) = address(fields[1]);
                let (remote, remote_port) = address(fields[2]);
                let remote = (remote_port != 0).then_some(remote);
                sockets.insert(Socket { is_udp, local, port, remote });
            }
        }
    }
    sockets
}

/// The inodes of all sockets among these files.
fn inodes(files: &Path) -> BTreeSet<String> {
    let links = fs::read_dir(files).into_iter().flatten().flatten();
    let targets = links.filter_map(|link| fs::read_link(link.path()).ok());
    let socket = |target: std::path::PathBuf| {
        target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']').map(str::to_owned)
    };
    targets.filter_map(socket).collect()
}

/// `0100007F:1F90` is 127.0.0.1:8080: each group of four bytes is in the machine's own order.
fn address(text: &str) -> (IpAddr, u16) {
    let (host, port) = text.split_once(':').unwrap();
    let words: Vec<[u8; 4]> = (0..host.len())
        .step_by(8)
        .map(|at| u32::from_str_radix(&host[at..at + 8], 16).unwrap().to_ne_bytes())
        .collect();
    let ip = match words.as_slice() {
        [v4] => IpAddr::V4(Ipv4Addr::from(*v4)),
        words => IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(words.concat()).unwrap())).to_canonical(),
    };
    (ip, u16::from_str_radix(port, 16).unwrap())
}
