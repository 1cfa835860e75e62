"""The text of an object that is embedded: its title and fields. Called by `collection`."""

from graphs.objects.kinds import Kind
from graphs.objects.operations import Record
from rag.embeddings.collections import MAX_CHARS
from rag.texts.words import named_values, plain


def object_text(kind: Kind, record: Record) -> str:
    """Title and fields in plain words; minor fields come last, and are the first to be cut."""
    fields = sorted((field for field in kind.fields if field.form != "key"), key=lambda field: field.minor)
    parts = [plain(kind.name_of(record))]
    for field in fields:
        if field.name != kind.title:
            parts.extend(named_values(record[field.name], field.name))
    return ". ".join(filter(None, parts))[:MAX_CHARS]
