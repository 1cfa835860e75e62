"""What a client is answered about a frame that was not carried out."""

import json
import logging
from typing import Any

from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.events.hub import CursorBeyondEnd
from graphs.history.recording import to_json
from graphs.site.access import Forbidden, NotFound
from graphs.site.api.problems import Problem, problem_of
from graphs.site.database_away import AWAY, took_too_long, waited_too_long
from graphs.site.json_input import BadJSON

log = logging.getLogger("countersign.socket")


def may_be_tried_again(error: Exception) -> bool:
    """Whether a frame came to nothing because of others, or of its own size, while the database is there."""
    return isinstance(error, AWAY) and (waited_too_long(error) or took_too_long(error))


def described(error: Exception) -> tuple[str, str, dict[str, Any]]:
    """Code, sentence, and details for programs; what was not foreseen is logged."""
    match error:
        case Refused():
            return error.code, error.detail, dict(error.extra)
        case Problem():
            details = {**({"errors": error.errors} if error.errors else {}), **error.extra}
            return error.code, error.detail, json.loads(to_json(details))
        case _ if may_be_tried_again(error):
            passing = problem_of(error)
            return passing.code, passing.detail, {"retryable": True}
        case BadJSON():
            return "validation", error.message, {}
        case NotFound():
            return "not_found", _("There is nothing here, or it is not open to you."), {}
        case Forbidden():
            return "forbidden", _("Your role in this workspace does not allow this."), {}
        case CursorBeyondEnd():
            return "cursor", _("The stream has not come so far. Read it from an earlier number."), {}
        case _:
            log.error("frame not handled", exc_info=error)
            return "internal", _("Something went wrong on the server. It was logged; try again."), {}
