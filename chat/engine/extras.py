"""What few conversations have beside their messages: one statement looks for all, as the first token waits for it."""

from dataclasses import dataclass

from graphs.site.prepared import prepared
from rag.embeddings.metering import Account

_LOOK = """
SELECT EXISTS (SELECT FROM chat_budget WHERE workspace_id = %(workspace)s AND active),
    EXISTS (SELECT FROM chat_alwayssend WHERE workspace_id = %(workspace)s),
    EXISTS (SELECT FROM chat_summary WHERE session_id = %(session)s)
"""


@dataclass(frozen=True, slots=True)
class Extras:
    """Whether the workspace has an active budget, of whatever it is, and records that are always sent; whether the
    conversation has a summary."""

    budgets: bool
    always_sent: bool
    summary: bool


def look(account: Account) -> Extras:
    with prepared() as cursor:
        cursor.execute(_LOOK, {"workspace": account.workspace_id, "session": account.session_id})
        return Extras(*cursor.fetchone())
