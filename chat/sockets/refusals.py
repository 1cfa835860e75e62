"""What a client is answered about a frame that was not carried out."""

import json
import logging
from typing import Any

from django.utils.translation import gettext as _

from chat.actions.refusals import Refused
from chat.events.hub import CursorBeyondEnd
from graphs.history.recording import to_json
from graphs.site.access import Forbidden, NotFound
from graphs.site.api.problems import Problem
from graphs.site.json_input import BadJSON

log = logging.getLogger("countersign.socket")


def described(error: Exception) -> tuple[str, str, dict[str, Any]]:
    """Code, sentence, and details for programs; what was not foreseen is logged."""
    match error:
        case Refused():
            return error.code, error.detail, dict(error.extra)
        case Problem():
            details = {**({"errors": error.errors} if error.errors else {}), **error.extra}
            return error.code, error.detail, json.loads(to_json(details))
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
