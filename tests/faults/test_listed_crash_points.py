"""Whatever has an effect is a crash point, or is listed beside them with a reason. Reads the code, runs nothing."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.faults.crash_points import HARMLESS, POINTS, WITHIN_TRANSACTION
from tests.faults.crash_scenarios import SCENARIOS

ROOT = Path(__file__).resolve().parents[2]
APPS = ("chat", "config", "graphs", "rag")
#: Calls that commit, or tell somebody else, by the last word of their name.
EFFECTS = {"atomic", "on_commit", "commit", "publish", "delay", "apply_async", "send_task"}
#: Calls of Django's ORM that write.
WRITES = {"create", "get_or_create", "update_or_create", "bulk_create", "bulk_update", "save", "delete", "update"}
SQL = ("INSERT INTO", "UPDATE ", "DELETE FROM")


class Reader(ast.NodeVisitor):
    """Collects the places of one module: of effects, and of writes outside of the function's own transactions."""

    def __init__(self, module: str, tree: ast.Module) -> None:
        self.effects: set[str] = set()
        self.writes: set[str] = set()
        self._module = module
        self._names: list[str] = []
        self._transactions = 0
        self._statements = _writing_constants(tree)
        self.visit(tree)

    @property
    def _place(self) -> str:
        return f"{self._module}:{'.'.join(self._names)}"

    def _named(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        self._names.append(node.name)
        self.generic_visit(node)
        self._names.pop()

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _named

    def visit_With(self, node: ast.With) -> None:
        inside = any(_last_word(item.context_expr) == "atomic" for item in node.items)
        self._transactions += inside
        self.generic_visit(node)
        self._transactions -= inside

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        word = _last_word(node)
        if word in EFFECTS:
            self.effects.add(self._place + (":on_commit" if word == "on_commit" else ""))
        elif not self._transactions and (self._is_orm_write(node, word) or self._is_sql_write(node, word)):
            self.writes.add(self._place)

    def _is_orm_write(self, node: ast.Call, word: str) -> bool:
        """`.update` of a dictionary or a hash has arguments without names; `.delete` of a list of things has some."""
        if word not in WRITES or not isinstance(node.func, ast.Attribute):
            return False
        return word != "update" or not node.args

    def _is_sql_write(self, node: ast.Call, word: str) -> bool:
        return word == "execute" and any(
            (isinstance(part, ast.Constant) and _writes(part.value))
            or (isinstance(part, ast.Name) and part.id in self._statements)
            for argument in node.args
            for part in ast.walk(argument)
        )


def _last_word(node: ast.expr) -> str:
    function = node.func if isinstance(node, ast.Call) else node
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _writes(value: object) -> bool:
    return isinstance(value, str) and any(word in value for word in SQL)


def _writing_constants(tree: ast.Module) -> set[str]:
    """Names of the module's statements that write, and of those that are made of them."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts = list(ast.walk(node.value))
            if any(isinstance(part, ast.Constant) and _writes(part.value) for part in parts) or any(
                isinstance(part, ast.Name) and part.id in found for part in parts
            ):
                found.add(node.targets[0].id)
    return found


def read(app: str) -> Iterator[Reader]:
    for path in sorted((ROOT / app).rglob("*.py")):
        if "migrations" not in path.parts:
            module = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield Reader(module, ast.parse(path.read_text()))


KILLED = {point.place for point in POINTS}


def test_every_commit_and_every_publish_is_listed() -> None:
    found = {place for app in APPS for reader in read(app) for place in reader.effects}
    assert found - KILLED - HARMLESS.keys() == set(), "add them to tests/faults/crash_points.py"


def test_every_write_is_listed_or_inside_a_transaction() -> None:
    found = {place for app in APPS for reader in read(app) for place in reader.writes}
    listed = KILLED | HARMLESS.keys() | WITHIN_TRANSACTION.keys()
    assert found - listed == set(), "add them to tests/faults/crash_points.py"


def test_what_is_listed_exists() -> None:
    modules = {f"{place.partition(':')[0]}" for place in KILLED | HARMLESS.keys() | WITHIN_TRANSACTION.keys()}
    functions = {module: _functions(module) for module in modules}
    listed = {tuple(place.split(":")[:2]) for place in KILLED | HARMLESS.keys() | WITHIN_TRANSACTION.keys()}
    assert {(module, function) for module, function in listed if function not in functions[module]} == set()


def _functions(module: str) -> set[str]:
    tree = ast.parse((ROOT / f"{module.replace('.', '/')}.py").read_text())
    found = set()
    for node in tree.body:
        found.add(getattr(node, "name", ""))
        if isinstance(node, ast.ClassDef):
            found |= {f"{node.name}.{getattr(part, 'name', '')}" for part in node.body}
    return found


def test_every_scenario_exists_and_is_used() -> None:
    assert {point.scenario for point in POINTS} == SCENARIOS.keys()


def test_it_sees_what_is_not_listed() -> None:
    code = """
_STORE = "INSERT INTO chat_message VALUES (1)"
class Door:
    def post(self):
        with transaction.atomic():
            Message.objects.create()
        transaction.on_commit(ring)
        seen.update(found)
    async def tell(self):
        await self.redis.publish("x", "y")
        Message.objects.filter(pk=1).update(content="")
        cursor.execute(_STORE)
"""
    reader = Reader("chat.doors", ast.parse(code))
    assert reader.effects == {"chat.doors:Door.post", "chat.doors:Door.post:on_commit", "chat.doors:Door.tell"}
    assert reader.writes == {"chat.doors:Door.tell"}
