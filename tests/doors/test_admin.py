"""Every address of the admin x role x kind of id, and the actions of its lists."""

from collections.abc import Iterator
from functools import cache
from typing import Literal

import pytest
from django.contrib import admin
from django.db.models import Model
from django.test import Client, RequestFactory

from tests.doors.addresses import Address, every_address
from tests.doors.knocking import knock
from tests.doors.matrix import client_of
from tests.doors.world import ROLES, STAFF, Id, RoleName, World

#: audited: auditors read what is of their workspace. revoked: they delete it, too. ruled: they change it, too.
#: managed: superusers change it.
#: watched: superusers read it. entered: they add to it, too.
Group = Literal["audited", "revoked", "ruled", "managed", "watched", "entered"]
GROUPS: dict[str, Group] = {
    "graphs.object": "audited",
    "graphs.graph": "audited",
    "graphs.sheet": "audited",
    "graphs.node": "audited",
    "graphs.edge": "audited",
    "graphs.nodetype": "audited",
    "graphs.changeset": "audited",
    "chat.session": "audited",
    "chat.modelcall": "audited",
    "chat.feedback": "audited",
    "chat.share": "revoked",
    "chat.sharedlink": "revoked",
    "chat.proposal": "audited",
    "chat.validationrule": "ruled",
    "chat.allowance": "ruled",
    "chat.budget": "ruled",
    "chat.alwayssend": "ruled",
    "chat.workspacemodels": "ruled",
    "chat.process": "watched",
    "chat.enteredprice": "entered",
    "chat.promptversion": "audited",
    "chat.sitepromptversion": "entered",
    "rag.embeddingmodel": "watched",
    "rag.embeddingfailure": "watched",
    "rag.fetchrule": "ruled",
    "auth.user": "managed",
    "graphs.workspace": "managed",
    "graphs.membership": "managed",
}
#: The only lists with an action, and the only rows that can be deleted.
ACTIONS = {
    "graphs.membership": {"delete_selected"},
    "graphs.changeset": {"roll_back"},
    "chat.share": {"delete_selected"},
    "chat.sharedlink": {"delete_selected"},
    "rag.embeddingmodel": {"try_again"},
    "chat.sitepromptversion": {"activate"},
    "rag.embeddingfailure": {"try_again"},
}
DELETED = {"graphs.membership", "chat.validationrule", "chat.allowance", "chat.alwayssend", "chat.budget"} | {
    "rag.fetchrule",
    "chat.share",
    "chat.sharedlink",
}
#: Rows that are there with what they are about.
NOT_ADDED = {"chat.workspacemodels"}
#: View and what its address adds to that of its list.
VIEWS = {
    "": "list",
    "add/": "add",
    "{object_id}/history/": "history",
    "{object_id}/delete/": "delete",
    "{object_id}/change/": "change",
    "{object_id}/": "redirect",
    "{object_id}/events/": "history",
    "{object_id}/replay/": "history",
    "{object_id}/replay/events/": "history",
    "{object_id}/seen/": "history",
    "{object_id}/seen/request/": "history",
    "{object_id}/rollback/": "history",
    "{object_id}/versions/": "history",
    "explained/": "list",
    "spend/": "list",
    "spend.csv": "list",
    "{id}/password/": "password",
}
#: Addresses of no model: what staff gets by GET and by POST; others are sent to sign in.
SITE: dict[str, tuple[int, int]] = {
    "": (200, 200),
    "login/": (302, 200),
    "logout/": (405, 302),
    "password_change/": (302, 302),
    "password_change/done/": (200, 405),
    "autocomplete/": (403, 405),
    "jsi18n/": (200, 405),
    "r/{content_type_id}/{object_id}/": (404, 404),
    "{app_label}/": (404, 404),
    "{url}": (404, 404),
}


def addresses() -> list[Address]:
    return [each for each in every_address() if each.path.startswith("admin/")]


def models() -> dict[str, type[Model]]:
    return {model._meta.label_lower: model for model in admin.site._registry}


@cache
def of_models() -> dict[Address, tuple[str, str]]:
    """Address -> label of its model, and view."""
    found = {}
    labels = list(models())
    for address in addresses():
        for label in labels:
            prefix = f"admin/{label.replace('.', '/')}/"
            if address.path.startswith(prefix):
                found[address] = (label, VIEWS.get(address.path.removeprefix(prefix), "unknown"))
    return found


def test_every_address_model_and_action_has_a_rule() -> None:
    assert set(models()) == set(GROUPS)
    assert "unknown" not in {view for _label, view in of_models().values()}
    site = {address.path.removeprefix("admin/") for address in addresses() if address not in of_models()}
    assert site == set(SITE)


def test_only_what_the_rules_name_can_be_done_with_rows(everybody: World) -> None:
    request = RequestFactory().get("/")
    request.user = everybody.users["superuser"]
    for label, model in models().items():
        assert set(admin.site._registry[model].get_actions(request)) == ACTIONS.get(label, set()), label


@pytest.mark.parametrize("role", ROLES)
def test_the_admin_answers_each_as_the_rules_say(everybody: World, role: RoleName) -> None:
    client = client_of(everybody, role, program=False)
    secrets = list(everybody.secrets_for(role, in_admin=True))
    wrong = [
        fault
        for address, (label, view) in of_models().items()
        for method in ("GET", "POST")
        for fault in faults(everybody, client, role, address, label, view, method, secrets)
    ]
    assert not wrong, "\n".join(wrong)


def faults(
    world: World,
    client: Client,
    role: RoleName,
    address: Address,
    label: str,
    view: str,
    method: str,
    secrets: list[str],
) -> Iterator[str]:
    ids: dict[Id, str] = world.rows(models()[label]) if address.parameters else {"own": ""}
    if role not in STAFF:
        ids.pop("foreign", None)  # They are stopped before the id is looked at; "own" and "random" show it.
    answers = {kind: knock(client, method, address.with_id(value)) for kind, value in ids.items()}
    for kind, answer in answers.items():
        due = expected(GROUPS[label], label, view, method, role, kind)
        if answer.status not in due:
            yield f"{method} {address.path} for {role}, {kind} id: {answer.status} instead of {due}"
        if answer.writes - {"django_session"}:
            yield f"{method} {address.path} for {role}, {kind} id: wrote to {set(answer.writes)}"
        found = [secret for secret in secrets if secret in answer.text]
        if found:
            yield f"{method} {address.path} for {role}, {kind} id: shows {found}"
    for kind in _unreadable(GROUPS[label], role) if "random" in answers else ():
        if difference := answers[kind].differs_from(answers["random"], ids.values()):
            yield f"{method} {address.path} for {role}, {kind} id: {difference}"


def _unreadable(group: Group, role: RoleName) -> tuple[Id, ...]:
    """The rows that this person must not even learn to be there."""
    if role == "superuser":
        return ()
    if role not in STAFF:
        return ("own",)
    return ("foreign",) if role == "auditor" and group in {"audited", "revoked", "ruled"} else ("own", "foreign")


def expected(group: Group, label: str, view: str, method: str, role: RoleName, kind: Id) -> set[int]:
    if role not in STAFF or view == "redirect":
        return {302}
    audits = role in {"auditor", "superuser"}
    manages = (role == "superuser" and group == "managed") or (audits and group == "ruled")
    manages = manages or (role == "superuser" and group == "entered" and view == "add")
    reads = role == "superuser" or (audits and group in {"audited", "revoked", "ruled"})
    if view == "add" and label in NOT_ADDED:
        return {403}
    if view in {"list", "add"}:
        return {200 if (reads if view == "list" else manages) else 403}
    if not reads:
        return {403, 404}
    if view == "delete" and manages and label not in DELETED | NOT_ADDED:
        return {403}
    if kind in _unreadable(group, role) or kind == "random":
        return {302} if group == "managed" and manages and view != "password" else {404}
    if view == "delete":
        return {200 if (manages or group == "revoked") and label in DELETED else 403}
    return {200 if view == "history" or manages or (view == "change" and method == "GET") else 403}


@pytest.mark.parametrize("role", ROLES)
def test_the_pages_of_no_model_answer_as_the_rules_say(everybody: World, role: RoleName) -> None:
    client = client_of(everybody, role, program=False)
    for path, statuses in SITE.items():
        for method, status in zip(("GET", "POST"), statuses, strict=True):
            answer = knock(client, method, Address(f"admin/{path}").with_id("1"))
            due = status if role in STAFF else 200 if path == "login/" else 302
            assert answer.status == due, (method, path)
            assert not answer.writes - {"django_session", "graphs_signin"}, (method, path)


@pytest.mark.parametrize("role", ROLES)
def test_an_app_is_listed_for_who_may_read_something_of_it(everybody: World, role: RoleName) -> None:
    client = client_of(everybody, role, program=False)
    read = {"auditor": {"graphs", "chat"}, "superuser": {"graphs", "chat", "auth"}}.get(role, set())
    for app in ("graphs", "chat", "auth", "nothing"):
        due = 302 if role not in STAFF else 200 if app in read else 404
        assert knock(client, "GET", f"/admin/{app}/").status == due, app
