"""What is wrong with a reply that is to be one call of a form, in words for the model that wrote it."""

from chat.providers.pieces import Reply

#: Also for a reply that was cut off before its call began.
NO_CALL = "That was no call of {form}. Call {form} once, with every field, and write little besides."
CUT = "That was cut off: it was longer than you may write at once. Call {form} once more, with shorter texts."
FILTERED = "That was filtered by the service of the model."
SEVERAL = "Call {form} once, and nothing beside it. None of these calls had an effect."


def wrong_with(reply: Reply, form: str) -> str:
    """Why a complete reply cannot be taken as it is; "" for one whose calls can be looked at."""
    if reply.end == "content_filter":
        return FILTERED
    if not reply.tool_calls:
        return NO_CALL.format(form=form)
    if reply.end == "length":
        return CUT.format(form=form)
    if len(reply.tool_calls) > 1 and form in [call.name for call in reply.tool_calls]:
        return SEVERAL.format(form=form)
    return ""
