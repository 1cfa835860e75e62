"""Generated native documents, and generated nonsense."""

from typing import Any

from hypothesis import strategies as st

from graphs.models.visible_text import is_blank

texts = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
#: A name of which nothing can be seen is read as none.
names = texts.map(lambda text: "" if is_blank(text) else text)
short_texts = texts.filter(lambda text: len(text) <= 100)
keys = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc", "Cf", "Cn", "Z"], exclude_characters="{}"),
    min_size=1,
    max_size=12,
)
numbers = st.integers(-(10**30), 10**30) | st.floats(allow_nan=False, allow_infinity=False)
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))
objects = st.dictionaries(texts, values, max_size=4)
coordinates = st.floats(-10_000_000, 10_000_000) | st.integers(-10_000_000, 10_000_000)
sizes = st.none() | st.floats(0, 10_000) | st.integers(0, 10_000)
points = st.fixed_dictionaries(
    {"id": keys, "type": st.sampled_from(["in", "out"])}, optional={"accept": texts, "label": texts}
)
handles = st.dictionaries(st.sampled_from("RLTB"), st.lists(points, max_size=3)).filter(
    lambda sides: len(ids := [(each["type"], each["id"]) for side in sides.values() for each in side]) == len({*ids})
)


def nodes(sheets: list[str], types: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {
            "key": keys,
            "type": st.sampled_from(["starter", "html", "n8n-nodes-base.set", *types]),
            "sheet": st.sampled_from(sheets),
            "name": names,
            "process": texts,
            "data": objects,
            "handles": handles,
            "posX": coordinates,
            "posY": coordinates,
            "width": sizes,
            "height": sizes,
        }
    )


def edges(sheets: list[str], ends: list[str]) -> st.SearchStrategy[dict[str, Any]]:
    end = st.sampled_from(ends)
    return st.fixed_dictionaries(
        {
            "key": keys,
            "source": end,
            "sourceHandle": short_texts,
            "target": end,
            "targetHandle": short_texts,
            "label": texts,
            "sheet": st.sampled_from(sheets),
        }
    )


node_types = st.fixed_dictionaries(
    {
        "key": keys,
        "displayName": keys,
        "description": texts,
        "category": short_texts,
        "icon": short_texts,
        "handles": handles,
        "process": texts,
    }
)


def unique(items: st.SearchStrategy[Any], min_size: int = 0) -> st.SearchStrategy[list[Any]]:
    return st.lists(items, min_size=min_size, max_size=5, unique_by=lambda item: item["key"])


@st.composite
def native_documents(draw: st.DrawFn) -> dict[str, Any]:
    sheets = draw(unique(st.fixed_dictionaries({"key": keys, "name": names}), min_size=1))
    sheet_keys = [sheet["key"] for sheet in sheets]
    types = draw(unique(node_types))
    drawn = draw(unique(nodes(sheet_keys, [entry["key"] for entry in types]), min_size=1))
    return {
        "format": "countersign.graph",
        "formatVersion": 1,
        "key": "generated",
        "name": draw(names),
        "description": draw(texts),
        "metadata": draw(objects),
        "sheets": sheets,
        "nodes": drawn,
        "edges": draw(unique(edges(sheet_keys, [node["key"] for node in drawn]))),
        "nodeTypes": types,
    }


#: Words that lead the readers further in than chance would.
_FIELDS = st.sampled_from(
    [
        "nodes",
        "connections",
        "name",
        "type",
        "position",
        "parameters",
        "credentials",
        "main",
        "node",
        "index",
        "id",
        "z",
        "wires",
        "x",
        "y",
        "label",
        "flows",
        "format",
        "formatVersion",
        "sheets",
        "edges",
        "key",
        "data",
        "handles",
        "R",
        "tab",
        "group",
        "comment",
        "function",
        "n8n-nodes-base.switch",
        "n8n-nodes-base.stickyNote",
        "countersign.graph",
    ]
)
_words = _FIELDS | st.text(max_size=5)
_scalars = st.none() | st.booleans() | st.integers() | st.floats() | _words
nonsense = st.recursive(
    _scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_words, inner, max_size=6), max_leaves=40
)
_targets = st.lists(st.fixed_dictionaries({"node": _words}, optional={"type": _words, "index": nonsense}), max_size=3)
_n8n = st.fixed_dictionaries(
    {
        "nodes": st.lists(
            st.fixed_dictionaries(
                {"name": _words, "type": _words},
                optional={
                    "parameters": st.dictionaries(_words, nonsense, max_size=3) | nonsense,
                    "position": st.lists(st.floats() | st.integers(), min_size=2, max_size=2) | nonsense,
                    "credentials": nonsense,
                    "onError": st.just("continueErrorOutput"),
                    "typeVersion": nonsense,
                },
            ),
            max_size=4,
        ),
        "connections": st.dictionaries(_words, st.dictionaries(_words, st.lists(_targets, max_size=3)), max_size=3),
    }
)
_node_red = st.lists(
    st.fixed_dictionaries(
        {"id": _words, "type": _words},
        optional={
            "z": _words,
            "name": _words | nonsense,
            "label": nonsense,
            "wires": st.lists(st.lists(_words, max_size=3), max_size=3) | nonsense,
            "x": st.floats() | st.integers(),
            "y": st.floats() | st.integers(),
            "w": nonsense,
            "outputLabels": nonsense,
            "credentials": nonsense,
            "info": nonsense,
        },
    ),
    max_size=4,
)
almost_files = _n8n | _node_red | nonsense
