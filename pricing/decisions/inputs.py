"""The inputs of decisions: models whose fields take JSON values and the text of links, forms and options."""

from __future__ import annotations

from typing import Annotated, Any, get_args

from pydantic import AfterValidator, BeforeValidator, Field

from pricing.errors import shown
from pricing.notation import write_number
from pricing.numbers import read_flag, read_scaled_number, read_utilization, read_whole_number
from pricing.question import StrictModel, Text
from pricing.wording import say

# A bare number from here on is no share: 70 is 70 % with its sign left out.
MOST_BARE = 10


def _no_truth(value: object) -> None:
    if isinstance(value, bool):
        raise ValueError(say("{value} is not a number", value=shown(value)))


def _number(value: object) -> object:
    _no_truth(value)
    return read_scaled_number(value) if isinstance(value, str) else value


def _share(value: object) -> object:
    _no_truth(value)
    return read_utilization(value) if isinstance(value, str) else value


def _whole(value: object) -> object:
    _no_truth(value)
    return read_whole_number(value, least=-(10**9), most=10**9) if isinstance(value, str) else value


def _flag(value: object) -> object:
    return read_flag(value) if isinstance(value, str) else value


def _at_most_one(value: float) -> float:
    if value > 1:
        raise ValueError(say("{value:g} should be at most 1; half is written 0.5 or 50%", value=value))
    return value


def _more(value: object) -> object:
    """Read a share that may be above 1; as a bare number of 10 or more, a sign of percent was forgotten."""
    share = _share(value)
    if isinstance(share, (int, float)) and share >= MOST_BARE and not (isinstance(value, str) and "%" in value):
        raise ValueError(
            say(
                "{value:g} more is {times:g} times as much; {value:g} % more is written {value:g}%",
                value=share,
                times=share + 1,
            )
        )
    return share


def _no_part(value: float) -> float:
    if not value.is_integer():
        raise ValueError(say("{value:g} is not a whole number of machines", value=value))
    return value


Number = Annotated[float, BeforeValidator(_number), Field(allow_inf_nan=False, ge=-1e18, le=1e18)]
Positive = Annotated[float, BeforeValidator(_number), Field(gt=0, le=1e18, allow_inf_nan=False)]
NotNegative = Annotated[float, BeforeValidator(_number), Field(ge=0, le=1e18, allow_inf_nan=False)]
# A share from 0 to 1, both ends included; 20% is 0.2.
Portion = Annotated[float, BeforeValidator(_share), Field(ge=0, allow_inf_nan=False), AfterValidator(_at_most_one)]
# A share that may be above 1, such as 150% more.
More = Annotated[float, BeforeValidator(_more), Field(ge=0, le=1e6, allow_inf_nan=False)]
Machines = Annotated[Positive, AfterValidator(_no_part)]
Whole = Annotated[int, BeforeValidator(_whole), Field(strict=True)]
Flag = Annotated[bool, BeforeValidator(_flag)]


def given(default: Any, label: str, doc: str, example: str, **more: Any) -> Any:
    """Describe an input: its label in the form, its documentation and an example."""
    return Field(default, title=label, description=doc, examples=[example], **more)


class InputsIn(StrictModel):
    """Base of the inputs of decisions."""

    def pairs(self) -> list[tuple[str, str]]:
        """Write the inputs as name-value pairs, defaults left out; reading them gives the same inputs."""
        pairs: list[tuple[str, str]] = []
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            if value is None or value == info.default:
                continue
            if More in (info.annotation, *get_args(info.annotation)) and value >= MOST_BARE:
                pairs.append((name, f"{write_number(float(f'{100 * value:.15g}'))}%"))
                continue
            pairs += [(name, _text(item)) for item in (value if isinstance(value, tuple) else (value,))]
        return pairs


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    return write_number(value) if isinstance(value, float) else str(value)


__all__ = [
    "Flag", "InputsIn", "Machines", "More", "NotNegative", "Number", "Portion", "Positive", "Text", "Whole", "given",
]  # fmt: skip
