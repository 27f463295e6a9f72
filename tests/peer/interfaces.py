"""The interfaces of this host, read from /proc and the kernel: names, indices, addresses."""

import fcntl
import ipaddress
import socket
import struct
from pathlib import Path

SIOCGIFADDR = 0x8915


def with_ipv6() -> dict[int, str]:
    """Index to name, for each interface with an IPv6 address that is not loopback. exo uses no other."""
    found = {}
    for line in Path("/proc/net/if_inet6").read_text().splitlines():
        address, index, _, _, flags, name = line.split()
        is_tentative = int(flags, 16) & 0x40
        if not ipaddress.IPv6Address(bytes.fromhex(address)).is_loopback and not is_tentative:
            found[int(index, 16)] = name
    return found


def addresses() -> list[tuple[str, str]]:
    """Each (interface, address), link-local ones with their scope, as exo reports them."""
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        for _, name in socket.if_nameindex():
            try:
                answer = fcntl.ioctl(probe, SIOCGIFADDR, struct.pack("256s", name.encode()[:15]))
            except OSError:
                continue
            found.append((name, socket.inet_ntoa(answer[20:24])))
    for line in Path("/proc/net/if_inet6").read_text().splitlines():
        address, _, _, _, _, name = line.split()
        parsed = ipaddress.IPv6Address(bytes.fromhex(address))
        found.append((name, f"{parsed}%{name}" if parsed.is_link_local else str(parsed)))
    return found
