"""What the product's code does not do at all, or only where a list says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
APPS = ("graphs", "rag", "chat", "config")
CALLS = {
    "text becomes code": {"eval", "exec", "compile", "__import__", "runpy.run_path", "code.interact"},
    "text becomes a template": {"Template", "from_string", "jinja2.Template"},
    "bytes become any object": {
        "pickle.loads", "pickle.load", "marshal.loads", "shelve.open", "yaml.load", "yaml.unsafe_load", "dill.loads",
    },
    "a shell runs": {"os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput"},
    "text is taken for HTML": {"mark_safe"},
    "XML is read": {"ElementTree.parse", "ElementTree.fromstring", "minidom.parse", "minidom.parseString"},
    "a weak digest": {"hashlib.md5", "hashlib.sha1", "hashlib.new", "get_md5_hash_password"},
    "numbers that can be guessed": {
        "random.random", "random.choice", "random.randint", "random.choices", "random.getrandbits", "uuid.uuid1",
    },
    "certificates are not looked at": {"ssl._create_unverified_context"},
    "mail is sent": {"send_mail", "smtplib.SMTP", "EmailMessage"},
}  # fmt: skip
#: Where such a call stands all the same, with the reason.
ALLOWED = {
    ("chat/admin/conversation.py", "mark_safe"): "of HTML that nh3 has cleaned",
    ("chat/shared_page.py", "mark_safe"): "of the same",
    ("graphs/admin/history.py", "mark_safe"): "of a constant",
}
REFUSED_ARGUMENTS = {("shell", True), ("verify", False), ("check_hostname", False)}


def called(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Each call with its name as it is written, and with the last two parts and the last part of it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            parts = ast.unparse(node.func).split(".")
            for name in {".".join(parts), ".".join(parts[-2:]), *(parts if len(parts) == 1 else parts[-1:])}:
                # `re.compile` and a method `exec` of one's own are others than the built-in functions.
                if len(parts) > 1 and name in {"eval", "exec", "compile", "Template"} and "." not in name:
                    continue
                yield name, node


def found_in(source: str) -> set[str]:
    """The dangerous calls, by name, and arguments as "name=value"."""
    wanted = set().union(*CALLS.values())
    found = set()
    for name, call in called(ast.parse(source)):
        if name in wanted:
            found.add(name)
        for given in call.keywords:
            if isinstance(given.value, ast.Constant) and (given.arg, given.value.value) in REFUSED_ARGUMENTS:
                found.add(f"{given.arg}={given.value.value}")
    return found


@pytest.mark.parametrize("app", APPS)
def test_nothing_dangerous_is_called_but_what_is_listed(app: str) -> None:
    for file in sorted((ROOT / app).rglob("*.py")):
        place = str(file.relative_to(ROOT))
        for name in found_in(file.read_text()):
            assert (place, name) in ALLOWED, f"{place} calls {name}: do it otherwise, or list it with a reason"


def test_what_is_listed_is_there() -> None:
    for place, name in ALLOWED:
        assert name in found_in((ROOT / place).read_text()), (place, name)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("eval(x)", "eval"),
        ("from django.template import Template\nTemplate(x)", "Template"),
        ("engine.from_string(x)", "from_string"),
        ("pickle.loads(x)", "pickle.loads"),
        ("subprocess.run(x, shell=True)", "shell=True"),
        ("hashlib.md5(x)", "hashlib.md5"),
        ("a.b.hashlib.sha1(x)", "hashlib.sha1"),
        ("django.utils.safestring.mark_safe(x)", "mark_safe"),
        ("requests.get(x, verify=False)", "verify=False"),
        ("random.choice(x)", "random.choice"),
    ],
)
def test_it_would_be_found(source: str, name: str) -> None:
    assert found_in(source) == {name}


@pytest.mark.parametrize("source", ["re.compile(x)", "client.eval(script)", "subprocess.run(x)", "hashlib.sha256(x)"])
def test_others_are_none(source: str) -> None:
    assert found_in(source) == set()
