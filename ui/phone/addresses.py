"""The addresses of this computer in private networks, and which addresses belong to such networks. No Qt here."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from ipaddress import AddressValueError, IPv4Address, IPv4Network

LOOPBACK = "127.0.0.1"
_PRIVATE = tuple(
    IPv4Network(network) for network in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16")
)
_LOOPBACKS = IPv4Network("127.0.0.0/8")
_ELSEWHERE = "198.51.100.1"  # reserved for documentation, so that the route to it is the route to the internet


def is_private(address: str) -> bool:
    """Whether an IPv4 address belongs to a private network; False for loopback and for anything else."""
    return _is_within(address, *_PRIVATE)


def is_nearby(address: str) -> bool:
    """Whether an IPv4 address belongs to a private network or to this computer."""
    return _is_within(address, *_PRIVATE, _LOOPBACKS)


def _is_within(address: str, *networks: IPv4Network) -> bool:
    try:
        return any(IPv4Address(address) in network for network in networks)
    except AddressValueError:
        return False


def source_address(destination: str) -> str:
    """The address from which this computer would send to a destination, which sends nothing; empty without a route."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((destination, 9))
        except OSError:
            return ""
        return str(probe.getsockname()[0])


def local_addresses(source: Callable[[str], str] = source_address) -> tuple[str, ...]:
    """The IPv4 addresses of this computer in private networks, first the one that leads to the internet.

    The standard library cannot list them without asking a name server, so the routes to all usual private networks are
    looked up (a few ms), by `source`. A second network such as 10.1.2.0/24 is not found.
    """
    found = dict.fromkeys(map(source, (_ELSEWHERE, *_usual_networks())))
    return tuple(address for address in found if is_private(address))


def _usual_networks() -> Iterator[str]:
    """An address in each of the private networks that routers and phones commonly make."""
    yield from (f"192.168.{network}.1" for network in range(256))
    yield from (f"10.{network}.0.1" for network in range(256))
    yield from (f"172.{network}.0.1" for network in range(16, 32))
    yield from ("172.20.10.1", "169.254.1.1")  # a phone's hotspot, a cable without a router
