import json
import re
import uuid

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from graphs.models import ChangeSet, Edge, Graph, Modification, Node, Origin, Workspace
from graphs.objects.operations import Delete
from graphs.objects.refs import Ref
from graphs.workflows import rows as graph_rows
from tests.cast import draw_nba, signed_in
from tests.graphs.admin.changing import changed, create, update, update_thing
from tests.graphs.admin.staff import auditor, mere_staff, superuser
from tests.things import Thing, change_sets

pytestmark = pytest.mark.django_db


@pytest.fixture
def own(alice: User, nba: Graph) -> ChangeSet:
    return update(nba, alice, because={"reason": "Retry"}, process="return retry()")


@pytest.fixture
def made(alice: User, thing: Thing) -> ChangeSet:
    """As `own`, of a thing of any kind."""
    return update_thing(thing, alice, because={"reason": "Retry"}, process="return retry()")


@pytest.fixture
def foreign(charlie: User, other_workspace: Workspace) -> ChangeSet:
    return update(draw_nba(other_workspace), charlie, name="Secret name")


def address(change_set: ChangeSet, **query: object) -> str:
    return reverse("admin:graphs_changeset_rollback", args=[change_set.pk], query=query or None)


def digest_of(text: str) -> str:
    found = re.search(r'name="digest" value="([0-9a-f]+)"', text)
    assert found
    return found[1]


def shown(client: Client, page: str, **sent: object) -> str:
    response = client.post(page, {"step": "preview", **sent}) if sent else client.get(page)
    assert response.status_code == 200
    return response.content.decode()


def signed(client: Client, page: str, digest: str, reason: str = "It was wrong", **sent: object) -> int:
    return client.post(page, {"step": "apply", "digest": digest, "reason": reason, **sent}).status_code


def text_of(thing: Thing) -> str:
    return str(thing.record[thing.text])


def process(key: str = "fetch-api") -> str:
    return Node.objects.get(key=key, graph__workspace__slug="demo").process


def test_a_look_changes_nothing(made: ChangeSet, thing: Thing) -> None:
    client = auditor(thing.workspace)
    text = shown(client, address(made))
    assert "What will change" in text
    assert "return <ins>fetch(url</ins>)" in text
    assert change_sets().count() == 1
    assert text_of(thing) == "return retry()"


def test_it_is_taken_back_by_the_admin_with_a_reason(made: ChangeSet, thing: Thing) -> None:
    client = auditor(thing.workspace)
    assert signed(client, address(made), digest_of(shown(client, address(made)))) == 302
    assert text_of(thing) == "return fetch(url)"
    done = ChangeSet.objects.get(origin=Origin.ROLLBACK)
    assert (done.actor_label, done.reason, done.undoes) == ("auditor", "It was wrong", [made.pk])


def test_a_rollback_can_be_taken_back(made: ChangeSet, thing: Thing) -> None:
    client = superuser()
    signed(client, address(made), digest_of(shown(client, address(made))))
    undone = ChangeSet.objects.get(origin=Origin.ROLLBACK)
    assert signed(client, address(undone), digest_of(shown(client, address(undone)))) == 302
    assert text_of(thing) == "return retry()"


@pytest.mark.parametrize("reason", ["", "   ", "x" * 2_001])
def test_without_a_reason_nothing_happens(made: ChangeSet, thing: Thing, reason: str) -> None:
    client = superuser()
    assert signed(client, address(made), digest_of(shown(client, address(made))), reason) == 200
    assert text_of(thing) == "return retry()"


def test_what_changed_since_the_look_is_not_taken_back_unseen(made: ChangeSet, thing: Thing, alice: User) -> None:
    client = superuser()
    page = address(made, what="before", object=f"{thing.around.type}:{thing.around.pk}")
    digest = digest_of(shown(client, page))
    update_thing(thing, alice, name="Newer")
    for wrong in (digest, "", "0" * 64):
        assert signed(client, page, wrong) == 409
    assert change_sets().count() == 2
    assert thing.called == "Newer"


def test_later_work_stands_in_the_way_until_it_is_left_out(alice: User, thing: Thing) -> None:
    first = update_thing(thing, alice, process="return retry()", name="Retried")
    update_thing(thing, alice, because={"reason": "Better"}, name="Newer")
    client = superuser()
    text = shown(client, address(first))
    for part in ("It was changed since.", "By alice", "Retried", "Newer"):
        assert part in text, part
    assert 'value="apply"' not in text
    assert signed(client, address(first), digest_of(text)) == 409
    assert text_of(thing) == "return retry()"

    left = json.dumps([thing.around.key, *thing.item, thing.name])
    assert f'value="{escape(left)}">' in text
    text = shown(client, address(first), leave_out=left)
    assert f'value="{escape(left)}" checked>' in text
    assert signed(client, address(first), digest_of(text), leave_out=left) == 302
    assert (thing.called, text_of(thing)) == ("Newer", "return fetch(url)")


def test_nothing_can_be_left_out_where_nothing_would_be_left(alice: User, thing: Thing) -> None:
    first = update_thing(thing, alice, name="Retried")
    update_thing(thing, alice, name="Newer")
    text = shown(superuser(), address(first))
    assert "It was changed since." in text
    assert "leave_out" not in text
    assert 'value="preview"' not in text


def test_one_field_of_several_is_taken_back(alice: User, thing: Thing) -> None:
    done = update_thing(thing, alice, process="return retry()", name="Retried")
    row = Modification.objects.get(change_set=done, field=thing.name)
    client = superuser()
    page = address(done, what="modification", modification=row.pk)
    assert signed(client, page, digest_of(shown(client, page))) == 302
    assert (thing.called, text_of(thing)) == ("Fetch API", "return retry()")


def test_a_turn_and_a_conversation_are_taken_back_as_a_whole(alice: User, nba: Graph) -> None:
    session, turns = uuid.uuid4(), [uuid.uuid4(), uuid.uuid4()]
    done = [
        create(nba, alice, f"more-{i}", origin=Origin.CHAT, causes=(f"message:{turn}", f"session:{session}"))
        for i, turn in enumerate([turns[0], turns[0], turns[1]])
    ]
    client = superuser()
    turn = address(done[0], what="turn")
    assert "change sets: 2" in shown(client, turn)
    assert signed(client, turn, digest_of(shown(client, turn))) == 302
    assert set(Node.objects.filter(key__startswith="more").values_list("key", flat=True)) == {"more-2"}
    whole = address(done[0], what="session")
    assert signed(client, whole, digest_of(shown(client, whole))) == 302
    assert not Node.objects.filter(key__startswith="more").exists()


def test_an_object_becomes_what_it_was_before(alice: User, nba: Graph) -> None:
    first = update(nba, alice, name="First")
    items = [Ref("edge", "root-fetch-api"), Ref("edge", "fetch-api-return"), Ref("node", "fetch-api")]
    records = {**graph_rows.nodes(nba), **graph_rows.edges(nba, [item.key for item in items])}
    changed(nba, [Delete(item, records[item.key].record) for item in items], alice)
    client = superuser()
    page = address(first, what="before", object=f"graph:{nba.pk}")
    assert signed(client, page, digest_of(shown(client, page))) == 302
    assert Node.objects.get(key="fetch-api").name == "Fetch API"
    assert Edge.objects.count() == 2


def test_several_are_chosen_from_the_list(alice: User, nba: Graph) -> None:
    done = [create(nba, alice, f"more-{i}") for i in range(3)]
    client = auditor(Workspace.objects.get(slug="demo"))
    chosen = {"action": "roll_back", "_selected_action": [str(each.pk) for each in done[:2]]}
    response = client.post(reverse("admin:graphs_changeset_changelist"), chosen)
    assert response.status_code == 302
    page = response.headers["Location"]
    assert signed(client, page, digest_of(shown(client, page))) == 302
    assert set(Node.objects.filter(key__startswith="more").values_list("key", flat=True)) == {"more-2"}


def test_what_is_foreign_is_absent_wherever_it_is_named(own: ChangeSet, foreign: ChangeSet, nba: Graph) -> None:
    client = auditor(Workspace.objects.get(slug="demo"))
    theirs = Modification.objects.get(change_set=foreign).pk
    other = Graph.objects.get(workspace__slug="other").pk
    for query in (
        {"also": [str(foreign.pk)]}, {"also": [str(uuid.uuid4())]}, {"also": ["nonsense"]},
        {"what": "modification", "modification": theirs}, {"what": "modification", "modification": "nonsense"},
        {"what": "before", "object": f"graph:{other}"}, {"what": "before", "object": "nonsense"}, {"what": "turn"},
        {"what": "session"}, {"what": "nonsense"},
    ):  # fmt: skip
        for page in (address(own, **query),):
            assert client.get(page).status_code == 404, query
            assert client.post(page, {"step": "apply", "reason": "x", "digest": "0"}).status_code == 404, query
    chosen = {"action": "roll_back", "_selected_action": [str(foreign.pk)]}
    response = client.post(reverse("admin:graphs_changeset_changelist"), chosen)
    assert "rollback" not in response.headers.get("Location", "")
    assert ChangeSet.objects.count() == 2


def test_nobody_else_takes_anything_back(made: ChangeSet, thing: Thing, alice: User) -> None:
    digest = digest_of(shown(superuser(), address(made)))
    for client in (mere_staff(thing.workspace), signed_in(alice), Client()):
        assert signed(client, address(made), digest) in {302, 404}
    assert text_of(thing) == "return retry()"


def test_a_forged_form_of_another_site_is_refused(own: ChangeSet) -> None:
    admin = User.objects.create_superuser("boss")
    client = Client(enforce_csrf_checks=True)
    client.force_login(admin)
    digest = digest_of(client.get(address(own)).content.decode())
    assert signed(client, address(own), digest) == 403
    assert process() == "return retry()"


@pytest.mark.parametrize(
    "left",
    [
        "nonsense", "", "1", "{}", "[]", '["nba", "cat", "fetch-api", "process"]', '["nba", "node", 1, "process"]',
        '["nba", "node", "fetch-api", "absent"]', '["nba", [], {}, null]', '["other", "node", "fetch-api", "process"]',
    ],
)  # fmt: skip
def test_boxes_that_nobody_offered_mean_nothing(own: ChangeSet, left: str) -> None:
    client = superuser()
    assert "return <ins>fetch(url</ins>)" in shown(client, address(own), leave_out=left)


def test_what_the_page_is_about_is_marked(own: ChangeSet, nba: Graph) -> None:
    client = superuser()
    before = address(own, what="before", object=f"graph:{nba.pk}")
    for page, text in ((address(own), "Only this change set"), (before, "“NBA scores” as it was before this")):
        assert f'<strong aria-current="true">{text}</strong>' in shown(client, page)


def test_a_large_result_is_shown_in_part(alice: User, nba: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphs.admin.history_rollback.ITEMS_SHOWN", 2)
    update(nba, alice, name="First")
    first = update(nba, alice, name="Second")
    for key in ("one", "two", "three"):
        create(nba, alice, key)
    client = superuser()
    page = address(first, what="before", object=f"graph:{nba.pk}")
    text = shown(client, page)
    assert text.count('<section class="item') == 2
    assert "and 2 more items" in text
    assert signed(client, page, digest_of(text)) == 302
    assert Node.objects.count() == 3
