"""Who knocks, and what there is: two workspaces with objects and conversations, all of them full of canaries.

A canary names who may read it, so that any answer can be searched for what its reader may not see.
"""

import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal

from django.contrib.auth.models import User
from django.db.models import Model
from django.utils import timezone

from chat.engine.generating import Wanted, begin
from chat.events.notices import stream_of
from chat.managed_prompts import repository
from chat.models import (
    Allowance,
    AlwaysSend,
    Budget,
    Call,
    EnteredPrice,
    Feedback,
    Message,
    Prompt,
    PromptActivation,
    PromptType,
    PromptVersion,
    Proposal,
    Round,
    Session,
    Share,
    SharedLink,
    ValidationRule,
    VersionStatus,
)
from chat.rights.links import digest_of, new_token
from graphs.history import changes
from graphs.history.outside import catch_up
from graphs.history.recording import Because
from graphs.models import (
    Company,
    Edge,
    Folder,
    Graph,
    Membership,
    Node,
    NodeType,
    Origin,
    Role,
    Sheet,
    SignIn,
    UseCase,
    Workspace,
)
from graphs.objects.headers import existing
from graphs.objects.operations import Update
from graphs.objects.refs import Ref
from rag.models import EmbeddingFailure, EmbeddingModel, FetchRule
from tests.chat.admin.talk import Talk, talk
from tests.kept_rows import made_once
from tests.proposed import waiting
from tests.registered import product
from tests.shop.models import Shop

RoleName = Literal[
    "anonymous", "stranger", "removed", "viewer", "editor", "admin", "auditor", "staff", "superuser"
]  # fmt: skip
#: Where each has a membership, and which; "removed" had one, "staff" and "superuser" never had.
MEMBERSHIPS: dict[RoleName, tuple[str, Role]] = {
    "stranger": ("other", Role.EDITOR),
    "viewer": ("demo", Role.VIEWER),
    "editor": ("demo", Role.EDITOR),
    "admin": ("demo", Role.ADMIN),
    "auditor": ("demo", Role.ADMIN),
}
PEOPLE: tuple[RoleName, ...] = ("removed", *MEMBERSHIPS, "staff", "superuser")
ROLES: tuple[RoleName, ...] = ("anonymous", *PEOPLE)
STAFF: tuple[RoleName, ...] = ("auditor", "staff", "superuser")
#: "colleague" is a row of another member of the same workspace.
Id = Literal["own", "colleague", "foreign", "deleted", "random"]
IDS: tuple[Id, ...] = ("own", "colleague", "foreign", "deleted", "random")
#: All as long as each other, so that an answer's length cannot tell which it was about.
KEYS = {"demo": "graph-of-demo", "other": "graph-of-othr", "deleted": "graph-removed", "random": "graph-nowhere"}
TYPE_KEYS = {"demo": "type-of-demo", "other": "type-of-othr", "deleted": "type-removed", "random": "type-nowhere"}
PROMPT_KEYS = {
    "demo": "prompt_of_demo", "other": "prompt_of_othr", "deleted": "prompt_removed", "random": "prompt_nowhere"
}  # fmt: skip
NOWHERE = str(uuid.UUID(int=7, version=4))
#: A graph, an object with a table of its own, and a row of an application, with a header beside it.
OBJECT_TYPES = ("graph", "nodeType", "product", "company", "folder", "usecase", "executive_summary")
RECORD_TYPES = ("company", "folder", "usecase")


@dataclass
class World:
    users: dict[RoleName, User] = field(default_factory=dict)
    workspaces: dict[str, Workspace] = field(default_factory=dict)
    graphs: dict[str, Graph] = field(default_factory=dict)
    change_sets: dict[str, uuid.UUID] = field(default_factory=dict)
    talks: dict[RoleName, Talk] = field(default_factory=dict)
    hidden: dict[RoleName, Talk] = field(default_factory=dict)
    proposals: dict[str, str] = field(default_factory=dict)
    #: The session of each of these proposals.
    proposers: dict[str, str] = field(default_factory=dict)
    #: Tokens of links: one that leads to a conversation, one that is late, one of a hidden one, and such as never were.
    tokens: dict[Id, str] = field(default_factory=dict)
    generations: dict[str, uuid.UUID] = field(default_factory=dict)
    #: By kind of objects: the key, and the stream, of the one of each workspace, of a deleted one and of none.
    keys: dict[str, dict[str, str]] = field(default_factory=dict)
    streams: dict[str, dict[str, str]] = field(default_factory=dict)
    #: What `rows` has found: nothing that is tried at a door changes it.
    _found: dict[type[Model], dict[Id, str]] = field(default_factory=dict)

    def home(self, role: RoleName) -> str:
        return MEMBERSHIPS.get(role, ("demo", Role.VIEWER))[0]

    def ids(self, role: RoleName, parameter: str) -> dict[Id, str]:
        """The ids that this person can put in the place of an address's parameter."""
        if parameter in ("kind", "object_type"):
            return {"own": "nodeType" if parameter == "kind" else "graph", "random": "planet"}
        if parameter == "token":
            return self.tokens
        if parameter in self.keys:
            return self._of_workspaces(role, self.keys[parameter])
        if parameter == "node_type":
            return self._of_workspaces(role, TYPE_KEYS)
        if parameter == "prompt_key":
            return self._of_workspaces(role, PROMPT_KEYS)
        if parameter == "version":
            return {"own": "1", "random": "9"}
        if parameter in ("key", "object_id"):
            return self._of_workspaces(role, KEYS)
        if parameter == "proposal_id":
            own = self.home(role)
            foreign = "other" if own == "demo" else "demo"
            known = {"own": self.proposals[own], "foreign": self.proposals[foreign]}
            return {**known, "deleted": self.proposals["deleted"], "random": NOWHERE}  # type: ignore[dict-item]
        if parameter == "sign_in":
            others = SignIn.objects.exclude(user=None if role == "anonymous" else self.users[role])
            return {
                "own": NOWHERE,
                "foreign": str(others.values_list("pk", flat=True).first() or NOWHERE),
                "random": NOWHERE,
            }
        if parameter in ("change_set_id", "structured_id"):
            slugs = {"own": self.home(role), "foreign": "other" if self.home(role) == "demo" else "demo"}
            named = self.change_sets if parameter == "change_set_id" else self.generations
            made = {kind: str(named[slug]) for kind, slug in slugs.items()}
            return {"own": made["own"], "foreign": made["foreign"], "random": NOWHERE}
        own_role = "editor" if role == "anonymous" else role
        colleague: RoleName = "viewer" if own_role == "editor" else "editor"
        foreign_role: RoleName = "editor" if own_role == "stranger" else "stranger"
        found = {
            "own": self.talks[own_role],
            "foreign": self.talks[foreign_role],
            "deleted": self.hidden[own_role],
        } | ({"colleague": self.talks[colleague]} if own_role != "stranger" else {})
        names = {kind: _id_of(each, parameter) for kind, each in found.items()}
        nowhere = {"stream_name": f"session_{NOWHERE}", "entry_id": f"answer:{NOWHERE}"}
        return {**names, "random": nowhere.get(parameter, NOWHERE)}

    def _of_workspaces(self, role: RoleName, names: dict[str, str]) -> dict[Id, str]:
        own = self.home(role)
        foreign = "other" if own == "demo" else "demo"
        return {
            "own": names[own], "foreign": names[foreign], "deleted": names["deleted"], "random": names["random"]
        }  # fmt: skip

    def streams_of(self, role: RoleName, type_: str) -> dict[Id, str]:
        """The streams of objects of one kind."""
        return self._of_workspaces(role, self.streams[type_])

    def rows(self, model: type[Model]) -> dict[Id, str]:
        """Primary keys of a model: "own" is of the workspace `demo`."""
        if model not in self._found:
            own, foreign = self._rows(model)
            self._found[model] = {"own": str(own), "foreign": str(foreign), "random": _absent(own)}
        return dict(self._found[model])

    def _rows(self, model: type[Model]) -> tuple[Any, Any]:
        name = model._meta.label_lower
        if name == "chat.session":
            return self.talks["editor"].session.pk, self.talks["stranger"].session.pk
        if name in {"chat.modelcall", "chat.feedback"}:
            runs = [self.talks[role].run for role in ("editor", "stranger")]
            found = [run.model_calls.get() if name == "chat.modelcall" else run.message.feedback.get() for run in runs]
            return found[0].pk, found[1].pk
        if name in {"chat.share", "chat.sharedlink"}:
            given = [model._default_manager.get(session=self.hidden[role].session) for role in ("editor", "stranger")]
            return given[0].pk, given[1].pk
        if name == "chat.process":
            return self.talks["editor"].run.process, self.talks["stranger"].run.process
        if name == "chat.enteredprice":
            found = [EnteredPrice.objects.get(model=slug).pk for slug in ("demo", "other")]
            return found[0], found[1]
        if name in (named := self._named_rows()):
            return named[name]
        if name == "rag.embeddingfailure":
            names = (f"graph:{self.graphs[slug].pk}" for slug in ("demo", "other"))
            found = [EmbeddingFailure.objects.filter(collection=each).order_by("pk")[0].pk for each in names]
            return found[0], found[1]
        parts = name in {"graphs.sheet", "graphs.node", "graphs.edge"}
        path = "graph__workspace__slug" if parts else "workspace__slug"
        found = [model._default_manager.filter(**{path: slug}).order_by("pk")[0].pk for slug in ("demo", "other")]
        return found[0], found[1]

    def _named_rows(self) -> dict[str, tuple[Any, Any]]:
        """Of models whose rows are known by name: one of the workspace `demo`, and another."""
        of_site = PromptVersion.objects.filter(workspace=None).order_by("pk").values_list("pk", flat=True)[:2]
        demo, other = self.workspaces["demo"].pk, self.workspaces["other"].pk
        return {
            "chat.sitepromptversion": (of_site[0], of_site[1]),
            "rag.embeddingmodel": ("local/demo", "local/other"),
            "auth.user": (self.users["editor"].pk, self.users["stranger"].pk),
            "graphs.workspace": (demo, other),
            "chat.workspacemodels": (demo, other),
            "chat.proposal": (uuid.UUID(self.proposals["demo"]), uuid.UUID(self.proposals["other"])),
            "graphs.changeset": (self.change_sets["demo"], self.change_sets["other"]),
            "graphs.graph": (self.graphs["demo"].pk, self.graphs["other"].pk),
        }

    def secrets_for(self, role: RoleName, in_admin: bool) -> Iterator[str]:
        """The canaries that this person must never be shown."""
        audits = in_admin and role in {"auditor", "superuser"}
        if not audits:
            yield canary("deleted")
        for slug in self.workspaces:
            member = MEMBERSHIPS.get(role, ("", None))[0] == slug
            if not (in_admin and role == "superuser") and not member:
                yield canary(slug)
            for owner in PEOPLE:
                theirs = self.home(owner) == slug
                if not theirs or (role == owner and member) or (audits and (role == "superuser" or member)):
                    continue
                yield canary(owner)


def canary(whose: str) -> str:
    return f"canary{whose}canary"


def kept() -> World:
    """The world, made once in a process: to make it takes a second, as much as many tests that need it."""
    return made_once("doors", build)


def build() -> World:
    world = World()
    for slug in ("demo", "other"):
        world.workspaces[slug] = Workspace.objects.create(slug=slug, name=f"Workspace {canary(slug)}")
        for key in (KEYS[slug], "nba"):
            world.graphs[slug] = _graph(world.workspaces[slug], key, canary(slug))
    _graph(world.workspaces["demo"], KEYS["deleted"], canary("deleted"))
    _objects(world)
    for role in PEOPLE:
        flags = {"is_staff": role in STAFF, "is_superuser": role == "superuser"}
        user = world.users[role] = User.objects.create(username=f"person-{role}", **flags)
        if role in MEMBERSHIPS:
            slug, name = MEMBERSHIPS[role]
            Membership.objects.create(user=user, workspace=world.workspaces[slug], role=name)
        workspace = world.workspaces[world.home(role)]
        world.talks[role] = talk(user, workspace, f"Talk {canary(role)}")
        hidden = world.hidden[role] = talk(user, workspace, f"Hidden {canary('deleted')}")
        hidden.session.hidden_at = hidden.session.created_at
        hidden.session.save()
        Feedback.objects.create(message=world.talks[role].run.message, person=user, vote=1, comment=canary(role))
    for slug in ("demo", "other"):
        _rule(world, slug)
        _propose(world, slug, slug)
        _prompt(world, slug)
        _generation(world, slug)
    _propose(world, "demo", "deleted").delete()
    _share(world)
    for slug, graph in world.graphs.items():
        world.change_sets[slug] = _changed(graph, canary(slug))
        _embed_in_vain(graph, slug)
    return world


def _share(world: World) -> None:
    """Links to conversations of which only what was said may be seen: whatever else there is of it is a canary."""
    owner, secret = world.users["auditor"], canary("deleted")
    call = Call(f"call {secret}", f"tool_{secret}", {"query": secret}, {"found": [secret]}, "ok", secret)
    answer = {"content": "Nowhere.", "reasoning": secret, "retrieved": secret, "records": secret, "model": secret}
    rounds = [Round("", secret, (call,), vendor="demo"), Round("Nowhere.", secret, vendor="demo")]
    now = timezone.now()
    for kind in ("own", "foreign", "colleague", "deleted", "random"):
        token = world.tokens[kind] = new_token()
        if kind in ("colleague", "random"):
            continue  # Revoked links are gone, as those that never were.
        session = talk(owner, world.workspaces["demo"], "Where is it?", rounds=rounds, **answer).session
        Message.objects.create(session=session, sequence=8, role="system", content=secret, kind=Message.SYSTEM_PROMPT)
        Message.objects.create(session=session, sequence=9, role="user", content=secret, kind=Message.NOTE)
        until = now + timedelta(days=1 if kind != "foreign" else -1)
        SharedLink.objects.create(session=session, digest=digest_of(token), expires_at=until)
        if kind == "deleted":
            Session.objects.filter(pk=session.pk).update(hidden_at=now)
    for role in ("editor", "stranger"):
        session = world.hidden[role].session
        Share.objects.create(session=session, user=owner)
        SharedLink.objects.create(session=session, digest=digest_of(new_token()), expires_at=now + timedelta(days=1))


def _objects(world: World) -> None:
    """In each workspace one of each kind; another one of each was there once."""
    world.keys = {"graph": KEYS, "nodeType": TYPE_KEYS, "product": {"random": NOWHERE}, "shop": {"random": "999999"}}
    world.keys |= {type_: {"random": NOWHERE} for type_ in RECORD_TYPES}
    world.keys["executive_summary"] = world.keys["folder"]  # a view of it
    world.streams = {type_: {"random": f"{type_}_999999"} for type_ in OBJECT_TYPES}
    for slug in ("demo", "other", "deleted"):
        workspace, text = world.workspaces["demo" if slug == "deleted" else slug], canary(slug)
        NodeType.objects.create(workspace=workspace, key=TYPE_KEYS[slug], display_name=f"Type {text}", process=text)
        shop = Shop.objects.create(workspace=workspace, name=f"Shop {text}")
        row = product(shop, f"Product {text}", notes=text, data={"problem": text})
        world.keys["shop"][slug], world.keys["product"][slug] = str(shop.pk), str(row.pk)
        for type_, record in zip(RECORD_TYPES, _records(workspace, text), strict=True):
            world.keys[type_][slug] = str(record.pk)
        for type_ in OBJECT_TYPES:
            of = existing(workspace.pk, Ref(type_, world.keys[type_][slug]))
            assert of is not None
            catch_up([of])
            world.streams[type_][slug] = stream_of(of)
    Graph.objects.get(key=KEYS["deleted"]).delete()
    NodeType.objects.get(key=TYPE_KEYS["deleted"]).delete()
    Shop.objects.get(pk=world.keys["shop"]["deleted"]).delete()
    Company.objects.get(pk=world.keys["company"]["deleted"]).delete()


def _records(workspace: Workspace, text: str) -> tuple[Company, Folder, UseCase]:
    company = Company.objects.create(workspace=workspace, name=f"Company {text}", products=text)
    folder = Folder.objects.create(
        workspace=workspace, company=company, name=f"Folder {text}", executive_summary={"analysis": text}
    )
    data = {"name": f"Use case {text}", "problem": text, "other": text}
    return company, folder, UseCase.objects.create(workspace=workspace, folder=folder, data=data)


def _rule(world: World, slug: str) -> None:
    workspace, tool = world.workspaces[slug], "propose_move_node"
    ValidationRule.objects.create(workspace=workspace, tool=tool)
    Budget.objects.create(workspace=workspace, limit=100)
    FetchRule.objects.create(workspace=workspace, host=f"{canary(slug)}.org")
    EnteredPrice.objects.create(provider="custom", model=slug, input=1, cached_input=1, output=1)
    Allowance.objects.create(workspace=workspace, tool=tool, kind="node", field="posX", item_key=canary(slug))
    AlwaysSend.objects.create(
        workspace=workspace, object_type="graph", part_type="node", object_key=KEYS[slug], part_key=canary(slug)
    )


def _prompt(world: World, slug: str) -> None:
    repository.store()
    prompt = Prompt.objects.create(
        workspace=world.workspaces[slug], key=PROMPT_KEYS[slug], name=canary(slug), type=PromptType.COMPANY_INFO
    )
    version = PromptVersion.objects.create(
        prompt=prompt, workspace=prompt.workspace, number=1, texts={"en": f"{canary(slug)} {{{{company}}}}"},
        variables=["company"], status=VersionStatus.ACTIVE, reason=canary(slug),
    )  # fmt: skip
    PromptActivation.objects.create(version=version, workspace=prompt.workspace, reason=canary(slug))


def _generation(world: World, slug: str) -> None:
    """A generation about the company of a workspace, which waits for its turn."""
    workspace = world.workspaces[slug]
    about = existing(workspace.pk, Ref("company", world.keys["company"][slug]))
    assert about is not None
    version = PromptVersion.objects.get(prompt__key=PROMPT_KEYS[slug])
    author = world.users["editor" if slug == "demo" else "stranger"]
    run = begin(Wanted(about, author, workspace, version, "en", instructions=canary(slug)))
    world.generations[slug] = run.pk


def _embed_in_vain(graph: Graph, slug: str) -> None:
    model = EmbeddingModel.objects.create(name=f"local/{slug}", dimensions=8)
    node = graph.nodes.get(key="start")
    EmbeddingFailure.objects.create(
        target_type="node", target_id=node.pk, collection=f"graph:{graph.pk}", model=model.name, code="internal"
    )


def _propose(world: World, slug: str, name: str) -> Proposal:
    """In a conversation of its own: what a decision changes there concerns no other door."""
    owner = world.users["stranger" if slug == "other" else "admin"]
    rename = ("update_node", {"nodeKey": "start", "updates": {"name": f"New {canary(slug)}"}})
    (proposal,) = waiting(owner, world.graphs[slug], rename, reason=f"Proposed {canary(slug)}")
    world.proposals[name] = str(proposal.pk)
    world.proposers[str(proposal.pk)] = str(proposal.session_id)
    return proposal


def _graph(workspace: Workspace, key: str, text: str) -> Graph:
    graph = Graph.objects.create(
        workspace=workspace, key=key, name=f"Graph {text}", description=text, metadata={"a": text}
    )
    sheet = Sheet.objects.create(graph=graph, key="main", name=f"Sheet {text}")
    start, end = (
        Node.objects.create(
            graph=graph, sheet=sheet, key=node, name=f"Node {text}", type="step", process=text, data={"a": text}
        )
        for node in ("start", "end")
    )
    Edge.objects.create(
        graph=graph, sheet=sheet, key=f"start-end-{key}", source=start, target=end, source_handle="R-0",
        target_handle="L-0", label=text,
    )  # fmt: skip
    NodeType.objects.get_or_create(workspace=workspace, key="step", defaults={"display_name": f"Type {text}"})
    return graph


def _changed(graph: Graph, text: str) -> uuid.UUID:
    """The graph with a history."""
    operation = Update(Ref("node", "end"), {"name": f"Node {text}"}, {"name": f"Renamed {text}"})
    return changes.apply(graph, [operation], Because(None, Origin.MANUAL, reason=text)).change_set_id


def _id_of(found: Talk, parameter: str) -> str:
    if parameter == "stream_name":
        return found.session.stream.name
    if parameter == "message_id":
        return str(found.run.message_id)
    if parameter == "entry_id":
        return f"answer:{found.run.pk}"
    assert parameter == "session_id", f"say in `World.ids` what {parameter} is"
    return str(found.session.pk)


def _absent(like: Any) -> str:
    return NOWHERE if isinstance(like, uuid.UUID) else str(10**6)
