import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from graphs.models import Graph, Workspace
from tests.graphs.workflows.interchange.samples import n8n, n8n_node, native, native_node, to

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def demo() -> Workspace:
    return Workspace.objects.create(slug="demo", name="Demo")


def written(folder: Path, name: str, document: Any) -> str:
    file = folder / name
    file.write_bytes(document if isinstance(document, bytes) else json.dumps(document).encode())
    return str(file)


def run(*arguments: str) -> tuple[str, str, int]:
    """What the command prints to both outputs, and its exit code."""
    out, err, code = StringIO(), StringIO(), 0
    try:
        call_command("import_graph", *arguments, stdout=out, stderr=err)
    except CommandError as error:
        code = error.returncode
        err.write(str(error))
    return out.getvalue(), err.getvalue(), code


def test_it_prints_key_and_counts(tmp_path: Path) -> None:
    out, err, code = run(written(tmp_path, "a.json", native()))
    assert (code, err) == (0, "")
    assert "weather (2 nodes, 1 edges, 0 warnings)" in out
    assert Graph.objects.get().workspace.slug == "demo"


def test_it_prints_warnings(tmp_path: Path) -> None:
    document = n8n(n8n_node("A"), connections={"A": {"main": [to("gone")]}})
    out, _err, code = run(written(tmp_path, "flow.json", document))
    assert code == 0
    assert "1 warnings" in out
    assert 'there is no node "gone"' in out
    assert Graph.objects.get().key == "flow"


def test_it_imports_the_other_files_when_one_is_refused(tmp_path: Path) -> None:
    files = [
        written(tmp_path, "1.json", native(key="one")),
        written(tmp_path, "2.json", b'{\n"nodes": [,'),
        str(tmp_path / "absent.json"),
        written(tmp_path, "4.json", native(key="four")),
    ]
    out, err, code = run(*files)
    assert code == 1
    assert "line 2, column 11" in err
    assert "absent.json" in err
    assert "[4/4]" in out
    assert "2 files refused" in out
    assert set(Graph.objects.values_list("key", flat=True)) == {"one", "four"}


def test_it_uses_the_given_key_once(tmp_path: Path) -> None:
    file = written(tmp_path, "a.json", native())
    assert run(file, "--key", "mine")[2] == 0
    _out, err, code = run(file, "--key", "mine")
    assert code == 1
    assert '"mine" already' in err
    assert run(file, file, "--key", "x")[2] == 1
    assert Graph.objects.count() == 1


def test_it_chooses_the_workspace(tmp_path: Path) -> None:
    Workspace.objects.create(slug="other", name="Other")
    file = written(tmp_path, "a.json", native())
    assert run(file, "--workspace", "other")[2] == 0
    assert run(file)[2] == 0
    assert list(Graph.objects.order_by("id").values_list("workspace__slug", flat=True)) == ["other", "demo"]
    _out, err, code = run(file, "--workspace", "nowhere")
    assert code == 1
    assert "demo, other" in err


def test_it_takes_the_only_workspace(tmp_path: Path) -> None:
    Workspace.objects.update(slug="mine")
    assert run(written(tmp_path, "a.json", native()))[2] == 0


def test_it_reads_the_format_it_is_told(tmp_path: Path) -> None:
    file = written(tmp_path, "a.json", native())
    assert run(file, "--format", "node-red")[2] == 1
    assert run(file, "--format", "native")[2] == 0


def test_it_has_no_limit_of_nodes(tmp_path: Path, settings: Any) -> None:
    settings.MAX_IMPORT_NODES = 1
    settings.MAX_IMPORT_BYTES = 10
    assert run(written(tmp_path, "a.json", native()))[2] == 0


def test_it_shows_how_far_long_imports_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("graphs.management.progress.ELSEWHERE_S", 0)
    monkeypatch.setattr("graphs.workflows.interchange.native_parts.PART", 1)
    monkeypatch.setattr("graphs.workflows.imports.BATCH", 1)
    file = written(tmp_path, "a.json", native())
    assert "left" not in run(written(tmp_path, "first.json", native(key="first")))[0]
    monkeypatch.setattr("graphs.management.commands.import_graph.QUIET_S", 1e-9)
    out, err, code = run(file)
    assert (code, err) == (0, "")
    *bars, summary = out.splitlines()
    assert "100%  3 of 3 nodes and edges, " in bars[-1]
    assert any(" characters, " in line for line in bars)
    assert summary.endswith("(2 nodes, 1 edges, 0 warnings)")
    out, err, code = run(written(tmp_path, "b.json", native(nodes=[{}])))
    assert code == 1
    assert "nodes and edges" not in out
    assert "nothing imported" in err


def test_it_replaces_a_graph(tmp_path: Path) -> None:
    run(written(tmp_path, "a.json", native()))
    out, err, code = run(written(tmp_path, "b.json", native(nodes=[native_node("end")], edges=[])), "--replace")
    assert (code, err) == (0, "")
    assert "weather (replaced, 1 nodes, 0 edges, 0 warnings)" in out
    assert Graph.objects.get().nodes.get().key == "end"


def test_it_says_where_a_key_was_taken(tmp_path: Path) -> None:
    file = written(tmp_path, "a.json", native())
    run(file)
    out, _err, _code = run(file)
    assert 'There is a graph with the key "weather" already. This one has the key "weather-2".' in out
