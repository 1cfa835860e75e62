"""The texts of records: strict, as pydantic types. A null says that there is none."""

from typing import Annotated, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import AfterValidator, BeforeValidator, Field

from graphs.models.visible_text import is_blank
from graphs.objects.strict import STORABLE
from graphs.records import limits
from graphs.site.json_values import storable_text


def _said(name: str) -> str:
    if is_blank(name):
        raise ValueError(_("a name is more than spaces"))
    return name


def _as_list(value: Any) -> Any:
    """A text in the place of a list counts as one text of several lines."""
    if not isinstance(value, str):
        return value
    if len(value) > limits.TEXT_CHARS:
        raise ValueError(_("this is longer than {most} characters").format(most=intcomma(limits.TEXT_CHARS)))
    storable_text(value)
    return []


Name = Annotated[str, Field(min_length=1, max_length=limits.NAME_CHARS), STORABLE, AfterValidator(_said)]
Line = Annotated[str, Field(max_length=limits.NAME_CHARS), STORABLE]
Text = Annotated[str, Field(max_length=limits.TEXT_CHARS), STORABLE]
Section = Annotated[str, Field(max_length=limits.SECTION_CHARS), STORABLE]
_Listed = Annotated[str, Field(max_length=limits.LISTED_CHARS), STORABLE]
#: One text, or a list of them.
Texts = Annotated[list[_Listed], Field(max_length=limits.TEXTS), BeforeValidator(_as_list)]
