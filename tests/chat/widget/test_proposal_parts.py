"""The pure parts of proposals: arguments and back, JSON by paths, titles, and text of which nothing is hidden."""

from typing import Any

import pytest
from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def call(page: Page, module: str, name: str, *args: Any) -> Any:
    return page.evaluate(f"async (args) => (await import('/static/{module}')).{name}(...args)", list(args))


def entry(action: str, kind: str, label: str, *fields: str) -> dict[str, Any]:
    shown = [{"field": field} for field in fields]
    return {"object": {"type": kind, "id": label}, "label": label, "action": action, "fields": shown}


NODE, OTHER = entry("delete", "node", "Fetch"), entry("delete", "node", "Parse")
EDGE = entry("delete", "edge", "a → b")
PRODUCT = {**entry("update", "product", "Umbrella", "name"), "kindLabel": "product"}


@pytest.mark.parametrize(
    ("diff", "title"),
    [
        ([entry("update", "node", "Fetch API", "name", "posX")], "Change Fetch API"),
        ([entry("update", "node", "Fetch API", "posX", "posY")], "Move Fetch API"),
        ([entry("create", "edge", "a → b")], "Connect a → b"),
        ([EDGE], "Disconnect a → b"),
        ([NODE, EDGE, EDGE], "Delete Fetch and 2 edges"),
        ([NODE, OTHER, EDGE, EDGE, EDGE], "Delete 2 nodes and 3 edges"),
        ([entry("create", "node", "Retry"), EDGE], "Create Retry and delete a → b"),
        ([entry("create", "node", "Retry"), entry("create", "edge", "a → b")], "Create Retry and 1 edge"),
        ([entry("update", "nodeType", "Ca\u202ell", "icon")], "Change Ca⟦U+202E⟧ll"),
        ([PRODUCT], "Change Umbrella"),
        ([PRODUCT, PRODUCT], "Change 2 × product"),
        ([{**PRODUCT, "kindPlural": "products"}] * 2, "Change 2 products"),
        ([PRODUCT, entry("update", "node", "Fetch API", "name")], "Change Fetch API and Umbrella"),
        ([entry("delete", "shelf", "7")], "Delete 7"),
        ([entry("create", "fetch", "example.org", "url")], "Read a page of example.org"),
        ([], "No change"),
    ],
)  # fmt: skip
def test_a_change_has_a_title(blank: Page, diff: list[Any], title: str) -> None:
    assert call(blank, "graphs/diff.js", "changeTitle", diff) == title


@pytest.mark.parametrize(
    ("diff", "counts", "title"),
    [
        ([NODE], {"node": {"delete": 1}}, "Delete Fetch"),
        ([NODE], {"node": {"delete": 900}, "edge": {"delete": 1}}, "Delete 900 nodes and 1 edge"),
        ([entry("update", "node", "Fetch", "posX")], {"node": {"move": 300}}, "Move 300 nodes"),
        ([NODE], {"node": {"delete": 1, "move": 2}}, "Delete Fetch and move 2 nodes"),
        ([PRODUCT], {"product": {"update": 900}}, "Change 900 × product"),
        ([{**PRODUCT, "kindPlural": "products"}], {"product": {"update": 900}}, "Change 900 products"),
    ],
)  # fmt: skip
def test_a_change_that_is_cut_has_the_title_of_all_of_it(blank: Page, diff: Any, counts: Any, title: str) -> None:
    assert call(blank, "graphs/diff.js", "proposalTitle", {"diff": diff, "counts": counts}) == title


@pytest.mark.parametrize(("language", "text"), [("en", "1,000 nodes of 12"), ("fr", "1\u202f000 nodes of 12")])
def test_counts_are_written_as_numbers_are_in_the_language_of_the_reader(blank: Page, language: str, text: str) -> None:
    written = blank.evaluate(
        """async ([language, counts]) => {
        const { t } = await import("/static/graphs/strings.js");
        document.documentElement.lang = language;
        const texts = [t("{count} nodes of {all}", counts), t("version {version}", { version: "1000" })];
        document.documentElement.removeAttribute("lang");
        return texts;
        }""",
        [language, {"count": 1000, "all": 12}],
    )
    assert written == [text, "version 1000"]


@pytest.mark.parametrize(("shown", "words"), [(NODE, "node, deleted"), (PRODUCT, "product, changed")])
def test_an_entry_says_what_kind_it_is_of(blank: Page, shown: Any, words: str) -> None:
    asked = "async (entry) => (await import('/static/graphs/diff.js')).diffList([entry]).innerHTML"
    assert f'<span class="diff-kind">{words}</span>' in blank.evaluate(asked, shown)


def test_what_stays_in_its_place_is_not_moved(blank: Page) -> None:
    """Whoever types there goes on typing, whoever presses a button there has pressed it."""
    assert blank.evaluate("""async () => {
        const { arrange, h } = await import("/static/chat/widget/elements.js");
        const box = h("div"), field = h("input");
        document.body.append(box);
        arrange(box, [h("p"), field]);
        field.focus();
        arrange(box, [h("p"), h("p"), field]);
        return document.activeElement === field && box.lastChild === field && box.childElementCount === 3;
    }""")


WHOLE = {"id": "p", "status": "pending", "digest": "d", "diff": [NODE, OTHER], "arguments": {"a": 1}, "cut": []}
BRIEF = {**WHOLE, "diff": [NODE], "arguments": {}, "cut": ["arguments", "diff"]}
DECISION = {"id": "p", "status": "stale", "conflicts": [], "decidedBy": "bob"}


@pytest.mark.parametrize(
    ("news", "diff", "cut"),
    [
        ([BRIEF, WHOLE], [NODE, OTHER], []),
        ([WHOLE, BRIEF], [NODE, OTHER], []),
        ([BRIEF, DECISION], [NODE], ["arguments", "diff"]),
        ([WHOLE, {**BRIEF, "digest": "of edited arguments"}], [NODE], ["arguments", "diff"]),
        ([WHOLE, {**DECISION, "conflicts": [{}], "cut": ["conflicts"]}], [NODE, OTHER], ["conflicts"]),
    ],
)  # fmt: skip
def test_what_is_known_whole_is_not_cut_again(blank: Page, news: list[Any], diff: Any, cut: list[str]) -> None:
    known: list[Any] = []
    for each in news:
        known = call(blank, "chat/proposals/proposal.js", "withProposal", known, each)
    assert (known[0]["diff"], known[0]["cut"]) == (diff, cut)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain « text » é 你 👍🏽", "plain « text » é 你 👍🏽"),
        ("a\u202eb\u2066c", "a⟦U+202E⟧b⟦U+2066⟧c"),
        ("a\u200bb\ufeffc\u00ad", "a⟦U+200B⟧b⟦U+FEFF⟧c⟦U+00AD⟧"),
        ("\U000e0041", "⟦U+E0041⟧"),
        ("a\r\nb\tc\x1b", "a⟦U+000D⟧\nb\tc⟦U+001B⟧"),
        ("\u3164", "⟦U+3164⟧"),
        ("e" + "\u0301" * 5_000, "e" + "\u0301" * 32 + "⟦…⟧"),
    ],
)
def test_nothing_in_a_text_is_hidden(blank: Page, text: str, shown: str) -> None:
    assert call(blank, "graphs/diff.js", "visible", text) == shown


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ({"a": 1, "b": {"c": 2}}, {"a": 1, "b": {"c": 3}}, [{"path": "b.c", "old": 2, "new": 3}]),
        ({"a": [1, 2, 3]}, {"a": [1, 9, 2, 3]}, [{"path": "a[1]", "old": None, "new": 9}]),
        ({"a": [{"x": 1}]}, {"a": [{"x": 2}]}, [{"path": "a[0].x", "old": 1, "new": 2}]),
        ({"a": None}, {}, [{"path": "a", "old": None, "new": None}]),
        ({"constructor": 1}, {}, [{"path": "constructor", "old": 1, "new": None}]),
        ([1, 1], [1], [{"path": "[1]", "old": 1, "new": None}]),
        ({"a": 1}, {"a": 1}, []),
        (
            [{"axisId": "gain", "rating": 2}, {"axisId": "reach", "rating": 1}],
            [{"axisId": "gain", "rating": 2}, {"axisId": "reach", "rating": 4}, {"axisId": "cost", "rating": None}],
            [
                {"path": "[reach].rating", "old": 1, "new": 4},
                {"path": "[cost]", "old": None, "new": {"axisId": "cost", "rating": None}},
            ],
        ),
        (
            [{"id": "a", "weight": 1}, {"id": "b"}],
            [{"id": "b"}, {"id": "a", "weight": 1}],
            [
                {"path": "[0].id", "old": "a", "new": "b"},
                {"path": "[0].weight", "old": 1, "new": None},
                {"path": "[1].id", "old": "b", "new": "a"},
                {"path": "[1].weight", "old": None, "new": 1},
            ],
        ),
        ([{"id": "a", "n": 1}, {"id": "a"}], [{"id": "a", "n": 2}], [
            {"path": "[0].n", "old": 1, "new": 2}, {"path": "[1]", "old": {"id": "a"}, "new": None},
        ]),
        ([], [{"id": "a"}], [{"path": "[a]", "old": None, "new": {"id": "a"}}]),
    ],
)  # fmt: skip
def test_json_is_compared_by_paths(blank: Page, old: Any, new: Any, changes: list[Any]) -> None:
    assert call(blank, "graphs/diff/json-changes.js", "jsonChanges", old, new) == changes


@pytest.mark.parametrize(
    ("old", "new", "start"),
    [
        ("a" * 50, "b" * 50, 0),
        ("a" * 9 + "b" * 50, "a" * 9 + "c" * 50, 0),
        ("a" * 50 + "b", "a" * 50 + "c", 20),
        ("a" * 50, "a" * 60, 20),
        ("a" * 50, "a" * 50, 0),
        ("a" * 12 + "b", "a" * 12 + "c", 0),
        ("", "a" * 50, 0),
    ],
)
def test_two_long_texts_are_shown_from_where_they_differ(blank: Page, old: str, new: str, start: int) -> None:
    assert call(blank, "graphs/diff/first-difference.js", "startOf", old, new, 10) == start


def test_a_field_with_two_long_texts_that_begin_alike_shows_the_difference(blank: Page) -> None:
    shown = """async ([old, now]) => {
        const { fieldChange } = await import("/static/graphs/diff/field.js");
        const element = fieldChange({ field: "notes", label: "notes", form: "text", old, new: now });
        const texts = () => [...element.querySelectorAll("del, ins")].map((each) => each.textContent);
        const before = texts();
        for (const button of element.querySelectorAll("button")) button.click();
        return [before, texts()];
    }"""
    alike = "x" * 5_000
    before, after = blank.evaluate(shown, [f"{alike} old", f"{alike} new"])
    assert ["old" in before[0], "new" in before[1]] == [True, True]
    assert max(map(len, before)) < 600
    assert [alike in text for text in after] == [True, True]
    short = call(blank, "graphs/words.js", "shortTexts", {"a": alike, "b": 1}, {"a": alike, "b": 2}, 80)
    assert [text[-3:] for text in short] == [":1}", ":2}"]


def test_a_key_is_shown_by_the_title_of_what_it_leads_to(blank: Page) -> None:
    shown = """async (more) => {
        const { fieldChange } = await import("/static/graphs/diff/field.js");
        const element = fieldChange({ field: "parent", label: "folder", form: "key", old: "7", new: "9", ...more });
        return [...element.querySelectorAll("del, ins")].map((each) => each.lastChild.textContent);
    }"""
    assert blank.evaluate(shown, {"oldTitle": "Warehouse", "newTitle": "<b>Yard"}) == ["Warehouse (7)", "<b>Yard (9)"]
    assert blank.evaluate(shown, {"newTitle": "Yard"}) == ["7", "Yard (9)"]
    assert blank.evaluate(shown, {}) == ["7", "9"]


def test_of_very_long_code_only_what_is_looked_at_is_built(blank: Page) -> None:
    shown = """async (count) => {
        const { codeLines } = await import("/static/graphs/diff/code.js");
        const text = Array.from({ length: count }, (_, at) => ({ op: "+", new: at + 2, text: "x" }));
        const box = codeLines([{ op: " ", old: 1, new: 1, text: "kept" }, ...text]).firstChild;
        document.body.append(box);
        const seen = () => [box.querySelectorAll(".diff-line").length, box.querySelector(".diff-more")?.textContent];
        const before = seen();
        box.querySelector(".diff-more").click();
        return [...before, ...seen(), box.querySelectorAll(".diff-gap").length, document.activeElement === box];
    }"""
    assert blank.evaluate(shown, 200_000) == [400, "Show 199,601 more lines", 2_400, "Show 197,601 more lines", 0, True]


def merged(target: Any, patch: Any) -> Any:
    """RFC 7396, in its own words."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merged(result.get(name), value)
    return result


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({}, {"a": 1}),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "d": [1]}}),
        ({"a": [1, 2]}, {"a": [2]}),
        ({"a": {"b": 1}}, {"a": 1}),
        ({"a": 1}, {"a": {"b": {"c": 1}}}),
        ({"a": 1}, {}),
    ],
)
def test_edited_data_becomes_a_patch(blank: Page, old: Any, new: Any) -> None:
    assert merged(old, call(blank, "graphs/merge-patch.js", "mergePatch", old, new)) == new


def test_arguments_are_edited_by_the_fields_they_made(blank: Page) -> None:
    fields = [
        {"field": "type", "label": "type", "form": "text", "old": None, "new": "api-call"},
        {"field": "posX", "label": "x", "form": "number", "old": None, "new": 10},
        {"field": "width", "label": "width", "form": "number", "old": None, "new": 200},
    ]
    diff = [{"object": {"type": "node", "id": "n"}, "label": "n", "action": "create", "fields": fields}]
    proposal = {"tool": "propose_create_node", "diff": diff, "arguments": {"typeKey": "api-call", "posX": 10}}
    offered = call(blank, "chat/proposals/arguments.js", "editableFields", proposal, "Arguments")
    assert [field["name"] for field in offered] == ["type", "posX"]
    values = {"type": "note", "posX": 10}
    edited = call(blank, "chat/proposals/arguments.js", "editedArguments", proposal, values)
    assert edited == {"typeKey": "note", "posX": 10}


def test_what_is_edited_replaces_the_patches_it_came_from(blank: Page) -> None:
    fields = [
        {"field": "process", "label": "code", "form": "code", "old": "a", "new": "b"},
        {
            "field": "data",
            "label": "data",
            "form": "json",
            "old": {"url": "/one", "n": 1},
            "new": {"url": "/two", "n": 1},
        },
    ]
    diff = [{"object": {"type": "node", "id": "n"}, "label": "n", "action": "update", "fields": fields}]
    patches = {
        "processPatches": [{"search": "a", "replace": "b"}],
        "dataPatches": [{"path": "/url", "search": "one", "replace": "two"}],
    }
    proposal = {"tool": "propose_update_node", "diff": diff, "arguments": {"nodeKey": "n", "updates": patches}}
    data = {"url": "/three", "n": 1}

    def edited(process: str, data: dict[str, Any]) -> Any:
        values = {"process": process, "data": data}
        return call(blank, "chat/proposals/arguments.js", "editedArguments", proposal, values)["updates"]

    assert edited("c", data) == {"process": "c", "data": {"url": "/three"}}
    assert edited("b", data) == {"processPatches": patches["processPatches"], "data": {"url": "/three"}}
    # A patch cannot say that something shall be null: in it a null removes.
    url = {"url": "/one", "n": None}
    assert edited("b", url) == {"processPatches": patches["processPatches"], "wholeData": url}
    inner = {"url": "/one", "n": {"a": {"b": None}}}
    assert edited("b", inner)["wholeData"] == inner
    kept = {"url": "/two", "n": [None]}
    assert edited("b", kept)["data"] == {"url": "/two", "n": [None]}
    proposal["arguments"] = {"nodeKey": "n", "updates": {"process": "b", "wholeData": {"url": "/two", "n": 1}}}
    assert edited("b", data) == {"process": "b", "data": {"url": "/three"}}


GENERIC = {
    "fields": [
        {"field": "name", "label": "name", "form": "text", "old": "Umbrella", "new": "Parasol"},
        {"field": "notes", "label": "notes", "form": "text", "old": "a", "new": "b"},
        {"field": "data", "label": "data", "form": "json", "old": {"a": 1}, "new": {"a": 2}},
        {"field": "parent", "label": "shop", "form": "key", "old": "1", "new": "2"},
    ],
    "object": {"type": "product", "id": "7"},
    "label": "Umbrella",
    "action": "update",
}
PATCHED = [{"path": "notes", "search": "a", "replace": "b"}, {"path": "name", "search": "Umb", "replace": "Par"}]


@pytest.mark.parametrize(
    ("tool", "given", "offered", "values", "expected"),
    [
        (
            "propose_update_object",
            {"object": "product:7", "updates": {"data": {"a": 2}}, "patches": PATCHED},
            ["name", "notes", "data"],
            {"notes": "c", "data": {"b": None}},
            {"object": "product:7", "updates": {"data": {"b": None}, "notes": "c"}, "patches": PATCHED[1:]},
        ),
        (
            "propose_update_object",
            {"object": "product:7", "patches": PATCHED[:1]},
            ["name", "notes", "data"],
            {"notes": "c", "name": "Parasol"},
            {"object": "product:7", "updates": {"notes": "c"}},
        ),
        (
            "propose_create_object",
            {"kind": "product", "parent": "shop:2", "fields": {"name": "Parasol"}},
            ["name", "notes", "data", "parent"],
            {"name": "Tent", "parent": "3"},
            {"kind": "product", "parent": "shop:3", "fields": {"name": "Tent"}},
        ),
        (
            "propose_move_object",
            {"object": "product:7", "parent": "shop:2"},
            ["parent"],
            {"parent": "9"},
            {"object": "product:7", "parent": "shop:9"},
        ),
    ],
)  # fmt: skip
def test_proposals_about_objects_of_any_kind_are_edited(
    blank: Page, tool: str, given: Any, offered: list[str], values: Any, expected: Any
) -> None:
    proposal = {"tool": tool, "diff": [GENERIC], "arguments": given}
    fields = call(blank, "chat/proposals/arguments.js", "editableFields", proposal, "Arguments")
    assert [field["name"] for field in fields] == offered
    assert call(blank, "chat/proposals/arguments.js", "editedArguments", proposal, values) == expected
    assert call(blank, "chat/proposals/arguments.js", "mayBeEdited", proposal)


@pytest.mark.parametrize("tool", ["propose_delete_object", "propose_of_another_app"])
def test_what_makes_no_field_is_not_edited(blank: Page, tool: str) -> None:
    for action in ("update", "delete"):
        diff = [{**GENERIC, "action": action}]
        assert not call(blank, "chat/proposals/arguments.js", "mayBeEdited", {"tool": tool, "diff": diff})


def test_numbers_and_choices_keep_their_kind(blank: Page) -> None:
    shown = """async () => {
      const { EditForm } = await import("/static/chat/proposals/edit.js");
      const field = (name, form, value) => ({ field: name, label: name, form, old: null, new: value });
      const numbers = [["price", "12.50"], ["weight", 1.5], ["count", null]];
      const fields = [...numbers.map(([name, value]) => field(name, "number", value)), field("sold", "boolean", false),
        field("fresh", "boolean", true)];
      const diff = [{ object: { type: "product", id: "7" }, action: "update", fields }];
      const form = new EditForm({ tool: "propose_update_object", diff, arguments: { object: "product:7" } }, {});
      const inputs = form.element.querySelectorAll(".field");
      [inputs[0].value, inputs[1].value, inputs[3].value] = ["13.10", "2", "true"];
      return [form.isValid(), form.arguments().updates];
    }"""
    assert blank.evaluate(shown) == [True, {"price": "13.10", "weight": 2, "sold": True}]


def test_a_batch_is_edited_as_a_whole_and_a_deletion_not_at_all(blank: Page) -> None:
    batch = {"tool": "propose_batch", "diff": [], "arguments": {"actions": []}}
    values = {"": {"actions": [1]}}
    assert call(blank, "chat/proposals/arguments.js", "editedArguments", batch, values) == {"actions": [1]}
    deletion = {"tool": "propose_delete_node", "diff": [entry("delete", "node", "n")], "arguments": {"nodeKey": "n"}}
    assert not call(blank, "chat/proposals/arguments.js", "mayBeEdited", deletion)


@pytest.mark.parametrize(
    ("why", "text"),
    [
        ("graph:weather", "what was imported"), ("web:search", "what a search engine found"),
        ("web:example.org", "a page of example.org"),
    ],
)  # fmt: skip
def test_it_says_what_a_conversation_has_read_from_outside(blank: Page, why: str, text: str) -> None:
    assert text in call(blank, "chat/proposals/words.js", "askedText", [{"level": "untrusted", "why": why}])
