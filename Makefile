# The commands of the project. `make` alone lists them.

PORT ?= 8000
WEB ?= 1
WORKERS ?= 1
DATA_DIR ?= .data
export DATA_DIR DEMO_PASSWORD
# Many processes start: they find again what the first one has compiled.
unexport PYTHONDONTWRITEBYTECODE

# The first Python that is new enough and really runs.
FIND_PYTHON = for name in python3.11 python3.12 python3.13 python3; do \
	$$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && { echo $$name; exit; }; done; \
	echo "echo Countersign needs Python 3.11 or newer: install it. && false"
INSTALL = `$(FIND_PYTHON)` config/install.py
PYTEST = .venv/bin/python -m pytest -n 3 --dist loadgroup --no-loadscope-reorder

help: ## lists the commands
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /\1|/' | awk -F'|' '{ printf "make %-12s %s\n", $$1, $$2 }'

run: ## sets up and starts everything (PORT=8000 DATA_DIR=.data WEB=1 WORKERS=1; DEMO_PASSWORD from the environment)
	@$(INSTALL)
	@exec .venv/bin/python manage.py up --with-parent --port $(PORT) --web $(WEB) --workers $(WORKERS)

test: ## all tests (ARGS=... goes to pytest; docs/testing.md says how long they take)
	@$(INSTALL) tests
	$(PYTEST) $(ARGS)

test-faults: ## the fault and abuse tests at full counts, in under an hour
	@$(INSTALL) tests
	FULL=1 $(PYTEST) -m faults $(ARGS)

lint: ## formatter, linter, types, direction of imports
	@$(INSTALL) tests
	.venv/bin/ruff format --check .
	.venv/bin/ruff check .
	.venv/bin/mypy .
	.venv/bin/python -m pytest -n 0 tests/test_import_direction.py

bench: ## the benchmarks: a table of ratios
	@$(INSTALL) tests
	.venv/bin/python -m bench $(ARGS)

messages: ## collects the texts to translate (needs gettext) and compiles the translations
	@$(INSTALL) tests
	for domain in django djangojs; do .venv/bin/python manage.py makemessages --domain $$domain --all \
		--ignore 'tests/*' --ignore 'bench/*' --no-location --no-wrap --no-obsolete || exit 1; done
	.venv/bin/pybabel compile --domain 'django djangojs' --directory config/locale

.PHONY: help run test test-faults lint bench messages
