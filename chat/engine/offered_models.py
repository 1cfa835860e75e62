"""Which of the configured models a person may ask: those that the admins of their workspace chose for their role.

The choice stands in the workspace's row, which is read with everybody's membership anyway.
"""

from collections.abc import Iterable, Mapping

from chat.engine import available_models
from chat.providers.configured_models import Choice, ModelUnavailableError
from graphs.models import Role, Workspace
from graphs.site.access import Member

#: From who may least to who may most.
_RANKS = {role: rank for rank, role in enumerate(Role)}


def chosen(workspace: Workspace) -> Mapping[str, Role] | None:
    """The models that the admins chose, each with the least role that may ask it; None where everybody may ask all."""
    if workspace.offered_models is None:
        return None
    return {model: Role(role) for role, _space, model in (each.partition(" ") for each in workspace.offered_models)}


def stored(models: Iterable[tuple[str, Role]]) -> list[str]:
    """Models, each with the least role that may ask it, as a workspace has them."""
    return [f"{role.value} {model}" for model, role in models]


def offered_to(member: Member) -> list[Choice]:
    """The models that this person may ask, the default first."""
    return [choice for choice in available_models.configured().choices() if _may_ask(member, choice.id)]


def can_ask(member: Member, choice: str) -> bool:
    """Whether this person may ask a model; "" is the default."""
    configured = available_models.configured()
    choice = choice or configured.default()
    if not configured.offered(choice):
        return False
    return member.workspace.offered_models is None or _may_ask(member, configured.resolve(choice).id)


def stronger(member: Member, choice: str) -> Choice | None:
    """The next stronger model among those that this person may ask; None if there is none, or nobody knows."""
    return available_models.configured().stronger(choice, among=offered_to(member))


def refuses(member: Member, choice: str) -> bool:
    """Whether a model is not offered to this person. The default, "", counts where admins chose: it may be too dear."""
    if not choice and member.workspace.offered_models is None:
        return False
    try:
        return not can_ask(member, choice)
    except ModelUnavailableError:
        return True


def _may_ask(member: Member, model: str) -> bool:
    offered = chosen(member.workspace)
    return offered is None or (model in offered and _RANKS[member.role] >= _RANKS[offered[model]])
