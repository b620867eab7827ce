"""Which addresses are read: how each odd one is taken, and that no text leads to an address that is not public."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interpreter.adapters.web.addresses import (
    REASONS,
    OwnAddresses,
    Refused,
    check_addresses,
    check_name,
    literal_address,
    read_address,
    why_not_public,
)

NOBODY = OwnAddresses()

# text ; what is asked for
READ = [
    ("https://www.example.com", "https://www.example.com/"),
    ('HTTPS://WWW.Example.COM.:443/A b?c="d"', "https://www.example.com/A%20b?c=%22d%22"),
    ("https://www.example.com/a%20b%zz", "https://www.example.com/a%20b%zz"),
    ("http://www.example.com:80/?q=1#part", "http://www.example.com/?q=1"),
    ("http://www.example.com:8080/x", "http://www.example.com:8080/x"),
    ("  https://www.example.com/x \n", "https://www.example.com/x"),
    ("https://例子.中国/路径?名=值", "https://xn--fsqu00a.xn--fiqs8s/%E8%B7%AF%E5%BE%84?%E5%90%8D=%E5%80%BC"),
    ("https://例子。中国/", "https://xn--fsqu00a.xn--fiqs8s/"),
    ("https://www.example.com?q", "https://www.example.com/?q"),
    ("https://ｗｗｗ．ｅｘａｍｐｌｅ．ｃｏｍ/", "https://www.example.com/"),
    ("http://8.8.8.8/", "http://8.8.8.8/"),
    ("http://0x08080808/", "http://8.8.8.8/"),
    ("http://[2606:4700:0:0::1111]/", "http://[2606:4700::1111]/"),
]


@pytest.mark.parametrize(("text", "url"), READ, ids=[row[0].strip() for row in READ])
def test_an_address_is_read_in_one_way(text: str, url: str) -> None:
    assert read_address(text).url == url
    assert read_address(url).url == url


# text ; why it is refused
ODD = [
    ("", "empty"),
    ("www.example.com", "not_an_address"),
    ("//www.example.com/", "not_an_address"),
    ("https:www.example.com", "not_an_address"),
    ("https:///x", "not_an_address"),
    ("file:///etc/passwd", "scheme"),
    ("gopher://www.example.com/", "scheme"),
    ("data:text/html,x", "scheme"),
    ("javascript:alert(1)", "scheme"),
    ("ftp://www.example.com/", "scheme"),
    ("ws://www.example.com/", "scheme"),
    ("https://www.gov.example@evil.example/", "user_part"),
    ("https://user:word@www.example.com/", "user_part"),
    ("https://www.example.com\\@evil.example/", "odd_characters"),
    ("https://www.example.com/\r\nHost: evil", "odd_characters"),
    ("https://www.exam ple.com/", "host"),
    ("https://www.example.com/\t", None),
    ("https://www.exa\u00admple.com/", "odd_characters"),
    ("https://www.example.com/\ud800", "odd_characters"),
    ("https://www.example\udfff.com/", "odd_characters"),
    ("https://www.example.com/?a=\ud800\udc00", "odd_characters"),
    ("https://www.example.com%2eevil.example/", "host"),
    ("https://www..example.com/", "host"),
    ("https://.example.com/", "host"),
    ("https://www.example.com../", "host"),
    ("https://" + "a" * 64 + ".example/", "host"),
    ("https://" + "a." * 130 + "example/", "host"),
    ("https://www.ex℀mple.com/", "host"),
    ("https://[::1/", "host"),
    ("https://[::1]x/", "host"),
    ("https://[fe80::1%25eth0]/", "host"),
    ("https://[example.com]/", "host"),
    ("https://1.2.3.4.5/", "number_host"),
    ("https://256.1.1.1/", "number_host"),
    ("https://0x100000000/", "number_host"),
    ("https://www.example.08/", "number_host"),
    ("https://www.example.com:0x50/", "port"),
    ("https://www.example.com:70000/", "port"),
    ("https://www.example.com:22/", "port"),
    ("https://www.example.com:6000000/", "port"),
    ("https://www.example.com/" + "x" * 5000, "too_long"),
]


@pytest.mark.parametrize(("text", "reason"), ODD, ids=[row[0][:40] for row in ODD])
def test_what_is_odd_is_refused_with_its_reason(text: str, reason: str | None) -> None:
    if reason is None:
        read_address(text)
        return
    with pytest.raises(Refused) as caught:
        read_address(text)
    assert caught.value.reason == reason


# an address of the network ; why it is not public
NOT_PUBLIC = [
    ("0.0.0.0", "this_network"),
    ("10.0.0.5", "private"),
    ("100.64.0.1", "shared"),
    ("100.100.100.200", "shared"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("168.63.129.16", "cloud"),
    ("169.254.169.254", "link_local"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.0.0.192", "reserved"),
    ("192.0.2.1", "documentation"),
    ("192.88.99.1", "6to4"),
    ("192.168.1.1", "private"),
    ("198.18.0.1", "benchmarking"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("224.0.0.1", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "this_network"),
    ("::1", "loopback"),
    ("::127.0.0.1", "not_global"),
    ("::ffff:127.0.0.1", "mapped"),
    ("::ffff:8.8.8.8", "mapped"),
    ("::ffff:0:127.0.0.1", "translated"),
    ("64:ff9b::7f00:1", "translated"),
    ("64:ff9b::808:808", "translated"),
    ("64:ff9b:1::a00:1", "translated"),
    ("100::1", "not_global"),
    ("2001::1", "teredo"),
    ("2001:0:7f00:1::", "teredo"),
    ("2001:2::1", "reserved"),
    ("2001:20::1", "reserved"),
    ("2001:db8::1", "documentation"),
    ("2002:7f00:1::", "6to4"),
    ("3fff::1", "documentation"),
    ("4000::1", "not_global"),
    ("5f00::1", "not_global"),
    ("fc00::1", "private"),
    ("fd00:ec2::254", "private"),
    ("fe80::1", "link_local"),
    ("fec0::1", "not_global"),
    ("ff02::1", "multicast"),
]
PUBLIC = ["8.8.8.8", "1.1.1.1", "100.63.255.255", "100.128.0.1", "172.32.0.1", "223.5.5.5", "192.0.1.1", "2606:4700::1"]


@pytest.mark.parametrize(("text", "reason"), NOT_PUBLIC)
def test_an_address_that_is_not_public_says_why(text: str, reason: str) -> None:
    assert why_not_public(ip_address(text)) == reason


@pytest.mark.parametrize("text", PUBLIC)
def test_public_addresses_are_public(text: str) -> None:
    assert why_not_public(ip_address(text)) is None


@pytest.mark.parametrize("reason", sorted({reason for _, reason in NOT_PUBLIC} | {one for _, one in ODD if one}))
def test_every_reason_has_words(reason: str) -> None:
    assert all(REASONS[reason])


# a host in a dress ; what it is
DRESSED = [
    ("127.1", "127.0.0.1"),
    ("2130706433", "127.0.0.1"),
    ("0x7f000001", "127.0.0.1"),
    ("0x7F.0.0.1", "127.0.0.1"),
    ("0177.0.0.1", "127.0.0.1"),
    ("0", "0.0.0.0"),
    ("127.0.0.1.", "127.0.0.1"),
    ("１２７.０.０.１", "127.0.0.1"),
    ("127。0。0。1", "127.0.0.1"),
    ("①②⑦.⓪.⓪.①", "127.0.0.1"),
    ("0xa9fea9fe", "169.254.169.254"),
    ("169.16689662", "169.254.169.254"),
    ("[::ffff:7f00:1]", "::ffff:7f00:1"),
    ("[0:0:0:0:0:0:0:1]", "::1"),
]


@pytest.mark.parametrize(("host", "meant"), DRESSED)
def test_an_address_in_a_dress_is_seen_through_and_refused(host: str, meant: str) -> None:
    target = read_address(f"http://{host}/")
    assert literal_address(target) == ip_address(meant)
    with pytest.raises(Refused):
        check_name(target, NOBODY)


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST.",
        "a.localhost",
        "printer.local",
        "metadata.google.internal",
        "wiki",
        "router.lan",
        "a.home.arpa",
    ],
)
def test_local_names_are_refused_without_looking_them_up(host: str) -> None:
    with pytest.raises(Refused) as caught:
        check_name(read_address(f"http://{host}/"), NOBODY)
    assert caught.value.reason == "local_name"


@pytest.mark.parametrize(
    "found", [["8.8.8.8", "127.0.0.1"], ["2606:4700::1", "::1"], ["8.8.8.8", "fe80::1%eth0"], ["8.8.8.8", "nonsense"]]
)
def test_one_address_that_is_not_public_refuses_the_whole_name(found: list[str]) -> None:
    with pytest.raises(Refused):
        check_addresses(read_address("https://www.example.com/"), found, NOBODY)


# own addresses ; an address ; where its name leads ; may it be read
OWN = [
    (["wiki.intra"], "http://wiki.intra/", ["10.0.0.5"], True),
    (["wiki.intra:8080"], "http://wiki.intra:8080/", ["10.0.0.5"], True),
    (["wiki.intra:8080"], "http://wiki.intra:9090/", ["10.0.0.5"], False),
    (["WIKI.intra."], "http://wiki.INTRA/", ["10.0.0.5"], True),
    (["wiki.intra"], "http://a.wiki.intra/", ["10.0.0.5"], False),
    (["wiki.intra"], "http://wiki.intra.evil.example/", ["10.0.0.5"], False),
    (["10.0.0.0/16"], "http://any.example.com/", ["10.0.0.5"], True),
    (["10.0.0.0/16"], "http://any.example.com/", ["10.1.0.5"], False),
    (["10.0.0.0/16"], "http://any.example.com/", ["10.0.0.5", "127.0.0.1"], False),
    (["127.0.0.1:8080"], "http://127.0.0.1:8080/", ["127.0.0.1"], True),
    (["127.0.0.1:8080"], "http://2130706433:8080/", ["127.0.0.1"], True),
    (["127.0.0.1:8080"], "http://127.0.0.1:8081/", ["127.0.0.1"], False),
    (["fd00::/8"], "http://[fd00::1]/", ["fd00::1"], True),
    (["[fd00::1]:8080"], "http://[fd00::1]:8080/", ["fd00::1"], True),
    (["fd00::1"], "http://[fd00::1]/", ["fd00::1"], True),
]


@pytest.mark.parametrize(("entries", "url", "found", "is_read"), OWN)
def test_addresses_of_a_profile_are_the_persons_choice(
    entries: list[str], url: str, found: list[str], is_read: bool
) -> None:
    own, target = OwnAddresses(entries), read_address(url)

    def check() -> Any:
        check_name(target, own)
        return check_addresses(target, found, own)

    if is_read:
        assert check() == found
    else:
        with pytest.raises(Refused):
            check()


@pytest.mark.parametrize("entry", ["http://wiki.intra/", "10.0.0.1/8", "wiki intra", "a@b", "wiki:99999"])
def test_an_own_address_that_cannot_be_read_is_said(entry: str) -> None:
    with pytest.raises(ValueError, match=r".+"):
        OwnAddresses([entry])


# --- for every text ------------------------------------------------------------------------------------------------

_LOCAL = [
    ip_network(one) for one in ("127.0.0.0/8", "10.0.0.0/8", "169.254.0.0/16", "::1/128", "fc00::/7", "fe80::/10")
]
_HOSTS = st.one_of(
    st.sampled_from([host for host, _ in DRESSED]),
    st.ip_addresses().map(str),
    st.ip_addresses().map(lambda address: f"[{address}]" if address.version == 6 else str(int(address))),
    st.text(max_size=30),
    st.from_regex(r"(0x)?[0-9a-f]{1,9}(\.(0x)?[0-9a-f]{1,4}){0,4}\.?", fullmatch=True),
)
_URLS = st.builds(
    lambda scheme, user, host, port, rest: f"{scheme}{user}{host}{port}{rest}",
    st.sampled_from(["http://", "https://", "HTTP://", "//", "file://", "http:/", "http:\\\\", ""]),
    st.sampled_from(["", "a@", "a:b@", "www.gov.cn@"]),
    _HOSTS,
    st.sampled_from(["", ":80", ":8080", ":22", ":x", "@evil.example"]),
    st.text(max_size=20),
)


@given(_URLS)
def test_no_text_of_an_address_leads_to_a_place_that_is_not_public(text: str) -> None:
    try:
        target = read_address(text)
        check_name(target, NOBODY)
    except Refused:
        return
    literal = literal_address(target)
    assert literal is None or not any(literal in network for network in _LOCAL if network.version == literal.version)
    assert literal is not None or "." in target.host
    assert read_address(target.url) == target
    assert "\r" not in target.url
    assert "\n" not in target.url


@given(st.ip_addresses())
def test_what_python_calls_local_is_never_public(address: Any) -> None:
    is_local = address.is_loopback or address.is_link_local or address.is_multicast or address.is_unspecified
    if is_local or (address.is_private and not address.is_global):
        assert why_not_public(address) is not None
