"""A switch and its hosts, each in a network namespace of its own, and the faults that befall them.

The switch is a bridge inside a namespace too: nothing is added to the machine's own network, no route leads out, and
whatever a scenario sends stays here. Names carry the process id of their maker, so that what a killed run left behind
is found and removed by the next.
"""

import ctypes
import os
import secrets
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

NETNS = Path("/var/run/netns")
CLONE_NEWNET = 0x40000000
SUBNET = "10.77.0"
COUNTER = """table inet judge {
    counter sent { }
    chain out {
        type filter hook output priority 0; policy accept;
        oifname "eth0" meta l4proto != { ipv6-icmp, igmp } counter name sent
    }
}
"""


class NoNamespaces(Exception):
    """This machine or user can't make network namespaces."""


def run(*words: str, feed: str | None = None) -> str:
    done = subprocess.run(words, input=feed, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def sweep() -> None:
    """Removes the namespaces of makers that are gone."""
    for left in NETNS.glob("exo-*"):
        maker = left.name.split("-")[1]
        if not Path(f"/proc/{maker}").exists():
            subprocess.run(["ip", "netns", "del", left.name], capture_output=True)


class Lan:
    def __init__(self) -> None:
        self.prefix = f"exo-{os.getpid()}-{secrets.token_hex(2)}"
        self.switch = f"{self.prefix}-switch"
        self.hosts: dict[str, Host] = {}
        self.rules: list[str] = []

    def __enter__(self) -> "Lan":
        try:
            sweep()
            run("ip", "netns", "add", self.switch)
            run("ip", "-n", self.switch, "link", "add", "br0", "type", "bridge", "mcast_snooping", "0")
            run("ip", "-n", self.switch, "link", "set", "br0", "up")
            self._load_rules()
        except (RuntimeError, OSError) as why:
            self.__exit__()
            raise NoNamespaces(str(why)) from why
        return self

    def __exit__(self, *_: object) -> None:
        for made in NETNS.glob(f"{self.prefix}-*"):
            subprocess.run(["ip", "netns", "del", made.name], capture_output=True)

    def host(self, name: str, ipv4: str | None = "") -> "Host":
        """A host with the next IPv4 address, the given one, or none (`None`). Its link-local one comes by itself."""
        assert name not in self.hosts
        number = len(self.hosts) + 1
        self.hosts[name] = host = Host(self, name, f"port{number}", f"{SUBNET}.{number}" if ipv4 == "" else ipv4)
        return host

    # Faults. All are rules of the switch, so that both sides are as surprised as on a real network.

    def lose(self, percent: int) -> None:
        """Of every hundred packets, this many at random never arrive."""
        self._add(f"numgen random mod 100 < {percent} drop")

    def cut(self, one: "Host", other: "Host") -> None:
        self.cut_one_way(one, other)
        self.cut_one_way(other, one)

    def cut_one_way(self, sender: "Host", receiver: "Host") -> None:
        self._add(f'iifname "{sender.port}" oifname "{receiver.port}" drop')

    def drop(self, kind: str) -> None:
        """Packets of this kind, in the words of nft, never arrive."""
        self._add(f"{kind} drop")

    def heal(self) -> None:
        self.rules.clear()
        self._load_rules()

    def _add(self, rule: str) -> None:
        self.rules.append(rule)
        self._load_rules()

    def _load_rules(self) -> None:
        """Replaces the whole table in one transaction."""
        chain = "\n".join(["type filter hook forward priority 0; policy accept;", *self.rules])
        table = f"table bridge faults {{ chain forward {{\n{chain}\n}}\n}}\n"
        feed = f"table bridge faults {{}}\ndelete table bridge faults\n{table}"
        run("ip", "netns", "exec", self.switch, "nft", "-f", "-", feed=feed)


class Host:
    def __init__(self, lan: Lan, name: str, port: str, ipv4: str | None):
        self.lan, self.name, self.port, self.ipv4 = lan, name, port, ipv4
        self.namespace = f"{lan.prefix}-{name}"
        run("ip", "netns", "add", self.namespace)
        # An address is usable at once: duplicates can't exist here, and waiting for them would cost two seconds.
        self.sh("echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad")
        self._ip("link", "set", "lo", "up")
        wire = ("type", "veth", "peer", "name", port, "netns", lan.switch)
        run("ip", "link", "add", "eth0", "netns", self.namespace, *wire)
        run("ip", "-n", lan.switch, "link", "set", port, "master", "br0", "up")
        self.link_up()

    def _ip(self, *words: str) -> str:
        return run("ip", "-n", self.namespace, *words)

    def sh(self, command: str) -> str:
        return run("ip", "netns", "exec", self.namespace, "sh", "-c", command)

    def link_down(self) -> None:
        self._ip("link", "set", "eth0", "down")

    def link_up(self) -> None:
        self._ip("link", "set", "eth0", "up")
        if self.ipv4:
            self._ip("address", "replace", f"{self.ipv4}/24", "dev", "eth0")

    def move_to(self, ipv4: str) -> None:
        """Another address, and the old one gone, IPv6 included, as when a device joins another network."""
        self.ipv4 = ipv4
        self._ip("link", "set", "eth0", "down")
        self._ip("address", "flush", "dev", "eth0")
        tail = int(ipv4.rsplit(".", 1)[1])
        self._ip("link", "set", "eth0", "address", f"02:00:00:00:77:{tail:02x}")
        self.link_up()

    def add_ipv6(self, address: str) -> None:
        self._ip("address", "add", f"{address}/64", "dev", "eth0", "nodad")

    def without_ipv6(self) -> None:
        self.sh("echo 1 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6")

    def link_local(self) -> str:
        """The IPv6 address that came by itself."""
        words = self._ip("-6", "address", "show", "dev", "eth0", "scope", "link").split()
        return words[words.index("inet6") + 1].split("/")[0]

    def listening(self) -> str:
        """Every socket that is bound in here, TCP and UDP."""
        return self.sh("ss -Hltunp")

    def datagrams_received(self) -> int:
        """So many reached a socket of this host, whether its owner took them or had no room."""
        names = ("UdpInDatagrams", "UdpRcvbufErrors", "Udp6InDatagrams", "Udp6RcvbufErrors")
        rows = [line.split() for line in self.sh(f"nstat -asz {' '.join(names)}").splitlines()]
        return sum(int(row[1]) for row in rows if row[0] in names)

    def count_what_leaves(self) -> Callable[[], int]:
        """From now on, packets that programs of this host send to the network; what the kernel says by itself (who has
        which address, who hears which group) is left out. The answer asks for their number."""
        run("ip", "netns", "exec", self.namespace, "nft", "-f", "-", feed=COUNTER)

        def packets() -> int:
            words = self.sh("nft list counter inet judge sent").split()
            return int(words[words.index("packets") + 1])

        return packets

    def within(self, action: Callable[[], socket.socket]) -> socket.socket:
        """A socket made in this host's network. It stays there, whichever thread uses it."""
        made: list[socket.socket | BaseException] = []

        def there() -> None:
            try:
                with open(NETNS / self.namespace) as namespace:
                    if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET):
                        raise OSError(ctypes.get_errno(), "setns")
                made.append(action())
            except BaseException as why:  # handed to the caller below
                made.append(why)

        thread = threading.Thread(target=there)
        thread.start()
        thread.join()
        if isinstance(made[0], BaseException):
            raise made[0]
        return made[0]
