"""What a process of the site loads before anybody asks for anything: every start and every command waits for it."""

import os
import subprocess
import sys

from tests.web_process import ROOT

LOAD = """
import django, sys
django.setup()
import config.asgi, config.urls
print(*sys.modules)
"""
#: Slow to load, and needed by few: the SDKs of models, vectors and tokens.
LATER = {"openai", "anthropic", "numpy", "tokenizers", "tiktoken"}


def test_what_few_need_is_loaded_where_it_is_needed() -> None:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run([sys.executable, "-c", LOAD], cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.split())
    assert "chat.consumers" in loaded
    assert not LATER & loaded
