"""Which addresses are near, and which of this computer's own the phones can reach."""

from __future__ import annotations

import pytest

from ui.phone.addresses import is_nearby, is_private, local_addresses, source_address


@pytest.mark.parametrize("address", ["10.1.2.3", "172.16.0.1", "172.31.255.254", "192.168.178.25", "169.254.7.7"])
def test_private_addresses_are_near(address: str) -> None:
    assert is_private(address)
    assert is_nearby(address)


@pytest.mark.parametrize("address", ["8.8.8.8", "172.32.0.1", "192.169.0.1", "100.64.0.1", "::1", "example.com", ""])
def test_all_other_addresses_are_not(address: str) -> None:
    assert not is_private(address)
    assert not is_nearby(address)


def test_this_computer_is_near_but_no_network() -> None:
    assert is_nearby("127.0.0.2")
    assert not is_private("127.0.0.2")


def test_the_network_that_leads_out_comes_first() -> None:
    def source(destination: str) -> str:
        """Wi-Fi as the way out, a hotspot 192.168.137.0/24, and nothing else."""
        return "192.168.137.1" if destination.startswith("192.168.137.") else "192.168.178.25"

    assert local_addresses(source) == ("192.168.178.25", "192.168.137.1")


def test_without_a_private_network_there_is_no_address() -> None:
    assert local_addresses(lambda _: "") == ()
    assert local_addresses(lambda _: "203.0.113.9") == ()


def test_the_way_to_this_computer_is_itself() -> None:
    assert source_address("127.0.0.1") == "127.0.0.1"
