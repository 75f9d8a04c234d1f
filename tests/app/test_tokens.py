"""Tokens and their entries: made by the command, read from the settings, compared without telling anything."""

from __future__ import annotations

import hashlib
import hmac

import pytest
from pydantic import ValidationError
from starlette.testclient import TestClient

from app import tokens
from app.main import create_app
from app.settings import Settings
from app.tokens import Entry, entry_of, made, owner_of, read_entries
from pricing.errors import InvalidInputError
from tests.app.asking import refusal, run

A, B = "token-of-a", "token-of-b"
SHA_A = hashlib.sha256(A.encode()).hexdigest()
SHA_B = hashlib.sha256(B.encode()).hexdigest()
BAD = "entry 2 is not NAME:sha256:HEX with 64 hexadecimal digits; `perdollar token NAME` makes one"
ENTRIES = (Entry("a", bytes.fromhex(SHA_A)), Entry("b", bytes.fromhex(SHA_B)))


@pytest.mark.parametrize("between", [",", " ", ", ", "\n", " ,\n\t"])
def test_entries_stand_between_commas_or_white_space(between):
    assert read_entries(f"{between}a:sha256:{SHA_A}{between}b:sha256:{SHA_B.upper()}{between}") == ENTRIES


def test_a_name_may_have_several_tokens_so_that_one_can_be_changed():
    entries = read_entries(f"a:sha256:{SHA_A},a:sha256:{SHA_B},a:sha256:{SHA_A}")
    assert len(entries) == 2
    assert (owner_of(A, entries), owner_of(B, entries)) == ("a", "a")


def test_two_names_for_one_token_are_refused():
    with pytest.raises(ValueError, match=r"^a and b have the same token; make one for each$"):
        read_entries(f"a:sha256:{SHA_A},b:sha256:{SHA_A}")


@pytest.mark.parametrize(
    "bad",
    [
        SHA_A, "perdollar_topsecret", f"a:{SHA_A}", f"a:sha512:{SHA_A}", f"a:sha256:{SHA_A[1:]}", f"a:sha256:{SHA_A}0",
        f"a:sha256:{SHA_A[1:]}g", f":sha256:{SHA_A}", f"a/b:sha256:{SHA_A}", f"-a:sha256:{SHA_A}",
        f"a:sha256:{SHA_A}:", f"{'n' * 65}:sha256:{SHA_A}", f"é:sha256:{SHA_A}",
    ],
)  # fmt: skip
def test_a_bad_entry_is_told_by_its_place_and_never_shown(bad, tmp_path):
    text = f"b:sha256:{SHA_B} {bad}"
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(ValidationError) as by_setting:
        Settings(tokens=text)
    with pytest.raises(InvalidInputError) as by_file:
        Settings(tokens_file=path).known_tokens()
    for refused in (by_setting, by_file):
        said = str(refused.value)
        assert BAD in said
        assert not any(part in said for part in (SHA_A[1:-1], SHA_B, "topsecret"))


def test_the_command_that_serves_says_where_a_bad_entry_stands(tmp_path):
    said = refusal("serve", "--port", "0", PERDOLLAR_TOKENS=f"b:sha256:{SHA_B} topsecret")
    assert said == f"the environment variable PERDOLLAR_TOKENS is wrong: {BAD}"
    path = tmp_path / "tokens"
    path.write_text("topsecret")
    said = refusal("serve", "--port", "0", PERDOLLAR_TOKENS_FILE=str(path))
    assert said == f"the file of PERDOLLAR_TOKENS_FILE: {BAD.replace('2', '1', 1)}"


def test_a_file_of_tokens_that_cannot_be_used(tmp_path):
    with pytest.raises(InvalidInputError, match=r"^the file of PERDOLLAR_TOKENS_FILE: No such file or directory$"):
        Settings(tokens_file=tmp_path / "none").known_tokens()
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00secret")
    with pytest.raises(InvalidInputError, match=r"^the file of PERDOLLAR_TOKENS_FILE: is not UTF-8$"):
        Settings(tokens_file=tmp_path / "binary").known_tokens()


def test_tokens_of_the_setting_and_of_the_file_are_both_known(monkeypatch, tmp_path):
    (tmp_path / "tokens").write_text(f"b:sha256:{SHA_B}\n")
    monkeypatch.setenv("PERDOLLAR_TOKENS", f"a:sha256:{SHA_A}")
    monkeypatch.setenv("PERDOLLAR_TOKENS_FILE", str(tmp_path / "tokens"))
    assert Settings().known_tokens() == ENTRIES
    client = TestClient(create_app())
    for token in (A, B):
        assert client.post("/benchmarks/use", headers={"authorization": f"Bearer {token}"}).status_code == 422
    assert client.post("/benchmarks/use").status_code == 401


def test_settings_do_not_show_what_they_keep(monkeypatch):
    monkeypatch.setenv("PERDOLLAR_TOKENS", f"a:sha256:{SHA_A}")
    settings = Settings()
    digest = bytes.fromhex(SHA_A)
    for text in (repr(settings), str(settings), repr(settings.tokens)):
        assert SHA_A not in text
        assert repr(digest) not in text


def test_the_command_shows_a_token_and_its_entry():
    lines = run("token", "team-a").stdout.splitlines()
    assert len(lines) == 2
    token = lines[0].removeprefix("token, to be kept by whoever uses it: ")
    entry = lines[1].removeprefix("entry for PERDOLLAR_TOKENS: ")
    assert token.startswith("perdollar_")
    assert len(token) == len("perdollar_") + 43
    assert entry == f"team-a:sha256:{hashlib.sha256(token.encode()).hexdigest()}"
    assert owner_of(token, read_entries(entry)) == "team-a"
    assert run("token", "team-a").stdout.splitlines() != lines


def test_a_name_that_cannot_be_in_an_entry_is_refused():
    assert "a token's name has 1 to 64 letters, digits" in refusal("token", "a:b")
    with pytest.raises(ValueError, match="begins with a letter or digit"):
        entry_of("", made())


def test_every_entry_is_compared_whatever_comes_out(monkeypatch):
    compared = []

    class Counted:
        @staticmethod
        def compare_digest(one, other):
            compared.append((one, other))
            return hmac.compare_digest(one, other)

    monkeypatch.setattr(tokens, "hmac", Counted)
    for token, name in ((A, "a"), (B, "b"), ("none", ""), ("é\udc80", "")):
        compared.clear()
        assert owner_of(token, ENTRIES) == name
        assert [other for _, other in compared] == [entry.digest for entry in ENTRIES]
        assert len({one for one, _ in compared}) == 1


def test_what_is_far_too_long_for_a_token_is_not_one():
    long = "x" * 201
    assert owner_of(long, [Entry("a", hashlib.sha256(long.encode()).digest())]) == ""
    fits = "x" * 200
    assert owner_of(fits, [Entry("a", hashlib.sha256(fits.encode()).digest())]) == "a"
