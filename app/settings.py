"""Settings, from environment variables that begin with PERDOLLAR_."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.tables import refreshed_folder
from pricing.question import Limits

MIB = 1024 * 1024


class Settings(BaseSettings):
    """What an operator may set; every limit has its reason beside it."""

    model_config = SettingsConfigDict(env_prefix="PERDOLLAR_", frozen=True)

    prices: Annotated[tuple[Path, ...], NoDecode] = Field(
        (), description="Private price tables (CSV), joined with the built-in one; ':' between paths."
    )
    folder: Path = Field(
        default_factory=refreshed_folder, description="Folder of the tables that `perdollar prices refresh` made."
    )
    host: str = Field("127.0.0.1", description="Address to listen on; this machine alone by default.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on; 0 picks a free one.")
    max_compare_body: int = Field(16 * MIB, ge=1, description="Bytes of a comparison's JSON body: 20,000 offers fit.")
    max_upload: int = Field(64 * MIB, ge=1, description="Bytes of an upload of price files.")
    max_benchmark: int = Field(256 * MIB, ge=1, description="Bytes of an upload of benchmark results.")
    max_body: int = Field(MIB, ge=1, description="Bytes of any other body.")
    max_query: int = Field(64 * 1024, ge=1, description="Bytes of a query string: 200 measurements with details fit.")
    max_measurements: int = Field(200, ge=1, description="Measurements in one question.")
    max_offers: int = Field(20_000, ge=0, description="Inline offers in one question.")

    watch_seconds: float = Field(
        2.0, gt=0, description="Between two looks at the price files; a changed one is read after two that agree."
    )

    @field_validator("prices", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        return [part for part in value.split(":") if part] if isinstance(value, str) else value

    @property
    def limits(self) -> Limits:
        """The limits of one question."""
        return Limits(self.max_measurements, self.max_offers)
