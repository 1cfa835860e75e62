"""What every door requires of graphs and node types, so that a file of what one takes is read by another."""

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from pydantic import TypeAdapter, ValidationError

from graphs.models.visible_text import is_blank
from graphs.models.workflows import MAX_DESCRIPTION
from graphs.objects.actions import ChangeRefused
from graphs.objects.operations import Record
from graphs.site.field_sentences import wrong_fields
from graphs.workflows.interchange.native import Key

_KEY: TypeAdapter[str] = TypeAdapter(Key)


def require_texts(title: str, new: Record) -> None:
    """Raises `ChangeRefused` for a title of spaces, and for a description that is too long."""
    problems = []
    if title in new and is_blank(new[title]):
        problems.append(f"{title}: {_('a name is more than spaces')}")
    if len(new.get("description", "")) > MAX_DESCRIPTION:
        message = _("description: this is longer than {max_length} characters.")
        problems.append(message.format(max_length=intcomma(MAX_DESCRIPTION)))
    if problems:
        raise ChangeRefused(*problems)


def require_key(key: str) -> None:
    """Raises `ChangeRefused` for a key that no file could bring."""
    try:
        _KEY.validate_python(key)
    except ValidationError as error:
        raise ChangeRefused(*(f"key: {sentence}" for _steps, sentence in wrong_fields(error))) from None
