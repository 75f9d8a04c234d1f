"""Settings, from environment variables that begin with PERDOLLAR_."""

from __future__ import annotations

import ipaddress
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.tables import refreshed_folder
from app.tokens import NAME, Entry, read_entries, refuse_shared
from pricing.errors import InvalidInputError
from pricing.question import Limits

MIB = 1024 * 1024
# Of a server that others reach. A page that is typed into asks at most 400 times a minute.
USUAL_RATES = {"requests": "600/minute", "uploads": "30/minute", "failures": "10/minute"}
NO_LIMIT = "none"
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class PrivateTable(NamedTuple):
    """A private price table, and the name of the token that it is for; '' is every token."""

    path: Path
    token: str = ""


class Settings(BaseSettings):
    """What an operator may set; every limit has its reason beside it."""

    model_config = SettingsConfigDict(env_prefix="PERDOLLAR_", frozen=True, hide_input_in_errors=True)

    prices: Annotated[tuple[Path, ...], NoDecode] = Field(
        (),
        description="Private price tables (CSV), joined with the built-in one; ':' between paths. NAME=path is for the "
        "token NAME alone, where there are tokens.",
    )
    public_prices: bool = Field(False, description="Whether private tables without a NAME are shown to everybody.")
    tokens: Annotated[tuple[Entry, ...], NoDecode] = Field(
        (), repr=False, description="Tokens, NAME:sha256:HEX each, as `perdollar token NAME` makes them."
    )
    trusted_proxies: Annotated[tuple[Network, ...], NoDecode] = Field(
        (), description="Addresses or networks of proxies whose X-Forwarded-For and -Proto count; then others come in."
    )
    rate_limit: str = Field("", description="Requests of one client, as 600/minute; `none` is no limit.")
    upload_rate_limit: str = Field("", description="Uploads and other stores of one client, as 30/minute.")
    failure_rate_limit: str = Field("", description="Tokens of one client that are not valid, as 10/minute.")
    tokens_file: Path | None = Field(None, description="File of further tokens, one a line.")
    folder: Path = Field(
        default_factory=refreshed_folder, description="Folder of the tables that `perdollar prices refresh` made."
    )
    host: str = Field("127.0.0.1", description="Address to listen on; this machine alone by default.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    workers: int = Field(1, ge=1, le=256, description="Processes that answer, each with the table in its memory.")
    grace: int = Field(30, ge=1, description="Seconds that running requests get to finish when the server is stopped.")
    log_format: Literal["text", "json"] = Field(
        "text", description="Of the log: plain lines, or JSON with one line for each request."
    )
    max_compare_body: int = Field(16 * MIB, ge=1, description="Bytes of a comparison's JSON body: 20,000 offers fit.")
    max_upload: int = Field(64 * MIB, ge=1, description="Bytes of an upload of price files.")
    max_benchmark: int = Field(256 * MIB, ge=1, description="Bytes of an upload of benchmark results.")
    max_body: int = Field(MIB, ge=1, description="Bytes of any other body.")
    max_path: int = Field(2048, ge=1, description="Bytes of an address' path; the longest of ours has about 60.")
    max_query: int = Field(64 * 1024, ge=1, description="Bytes of a query string: 200 measurements with details fit.")
    max_query_fields: int = Field(4000, ge=1, description="Fields of a query: 200 measurements with 19 details each.")
    max_headers: int = Field(100, ge=1, description="Header fields of a request; browsers send about 20.")
    max_header_bytes: int = Field(
        64 * 1024, ge=1, description="Bytes of all header fields; cookies of others' apps fit."
    )
    max_measurements: int = Field(200, ge=1, description="Measurements in one question.")
    max_offers: int = Field(20_000, ge=0, description="Inline offers in one question.")

    watch_seconds: float = Field(
        2.0, gt=0, description="Between two looks at the price files; a changed one is read after two that agree."
    )

    # What one client may hold of the server by being slow; a browser on a slow line is far from all of these.
    head_seconds: float = Field(10.0, gt=0, description="Until the head of a request is complete: a few packets.")
    body_seconds: float = Field(20.0, gt=0, description="Without a byte of a body; a phone may change its cell.")
    answer_seconds: float = Field(30.0, gt=0, description="In which a client takes too little of its answer.")
    least_rate: int = Field(
        500, ge=0, description="Bytes a second of a body or an answer over those times, as Apache's mod_reqtimeout."
    )
    idle_seconds: int = Field(65, ge=1, description="Between requests of a connection; proxies keep theirs for 60.")
    max_connections: int = Field(
        1000, ge=1, description="Open connections of a worker, fewer where fewer files may be open; then 503."
    )

    @field_validator("prices", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        # A Path forgets the './' that tells a file's name with '=' from a token's.
        return [Path(part).absolute() if part.startswith("./") else part for part in value.split(":") if part]

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _networks(cls, value: object) -> object:
        if not isinstance(value, str):
            return value
        return tuple(ipaddress.ip_network(part) for part in value.replace(",", " ").split())

    @field_validator("rate_limit", "upload_rate_limit", "failure_rate_limit")
    @classmethod
    def _rate(cls, value: str) -> str:
        value = value.strip()
        if value and value != NO_LIMIT:
            from limits import parse_many  # noqa: PLC0415 - only where one is set

            try:
                limits = parse_many(value)
            except ValueError:
                limits = []
            if len(limits) != 1 or limits[0].amount < 1:
                raise ValueError(f"write a limit as 600/minute, or {NO_LIMIT}")
        return value

    @property
    def rates(self) -> dict[str, str]:
        """The limits of one client by what is counted; a server of this machine alone has none unless one is set."""
        given = {"requests": self.rate_limit, "uploads": self.upload_rate_limit, "failures": self.failure_rate_limit}
        usual = {} if self.local else USUAL_RATES
        found = {name: text or usual.get(name, NO_LIMIT) for name, text in given.items()}
        return {name: text for name, text in found.items() if text != NO_LIMIT}

    @property
    def head_bytes(self) -> int:
        """What a server must take of a request's head, so that one that is a little too large is refused in words."""
        return self.max_path + self.max_query + self.max_header_bytes + 64 * 1024

    @field_validator("tokens", mode="before")
    @classmethod
    def _entries(cls, value: object) -> object:
        return read_entries(value) if isinstance(value, str) else value

    @property
    def tables(self) -> tuple[PrivateTable, ...]:
        """The private tables, each with the name of its token. A path with '=' is written ./a=b.csv."""
        found = []
        for path in self.prices:
            name, equals, rest = str(path).partition("=")
            owned = equals and rest and NAME.fullmatch(name)
            found.append(PrivateTable(Path(rest), name) if owned else PrivateTable(path))
        return tuple(found)

    def known_tokens(self) -> tuple[Entry, ...]:
        """Return all tokens, those of the file as well. InvalidInputError if the file can't be used."""
        if self.tokens_file is None:
            return self.tokens
        try:
            text = self.tokens_file.read_text(encoding="utf-8")
            return refuse_shared([*self.tokens, *read_entries(text)])
        except (OSError, ValueError) as error:
            # What can't be decoded is not shown: it may be a secret.
            reason = "is not UTF-8" if isinstance(error, UnicodeError) else getattr(error, "strerror", None) or error
            raise InvalidInputError.at((), f"the file of PERDOLLAR_TOKENS_FILE: {reason}") from error

    @property
    def local(self) -> bool:
        """Whether the server is for this machine alone: it listens there, and no proxy brings others in."""
        if self.trusted_proxies:
            return False
        try:
            address = ipaddress.ip_address(self.host.strip("[]"))
        except ValueError:
            # What a name leads to is not known here.
            return self.host == "localhost"
        mapped = getattr(address, "ipv4_mapped", None)
        return (mapped or address).is_loopback

    @property
    def limits(self) -> Limits:
        """The limits of one question."""
        return Limits(self.max_measurements, self.max_offers)
