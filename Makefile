# `make` without a target lists the targets. All packages are installed into .venv/. The lock files
# list the packages of a run (requirements.lock) and those that the tests and checks (dev.lock) and
# the targets `docs` (docs.lock) and `cluster` (cluster.lock) need in addition.

PYTHON ?= python3
CORES ?= all
BIN := .venv/bin
INSTALLED := .venv/.installed
DEVELOPED := .venv/.developed
VALIDATOR := .venv/validator/.installed
CLUSTER := .venv/cluster/.installed
CLOUD := .venv/cloud/.installed
# Designs, and any other targets of the workflow. Only one run at a time starts in this folder, and
# it starts even if the last run was killed.
REPRODUCE := $(BIN)/python -m ggexp reproduce --cores $(CORES)
SNAKEMAKE := $(BIN)/python -m ggexp snakemake
# Some containers set this variable. It would make each process of a run compile its imports (5 s).
unexport PYTHONDONTWRITEBYTECODE

# Run only some data sets: make reproduce DATASETS="mildew czech"
EMPTY :=
COMMA := ,
SELECTION = $(if $(DATASETS),--datasets $(subst $(EMPTY) ,$(COMMA),$(strip $(DATASETS))))
# Replace even the results of a larger run: make reproduce DATASETS=czech OVERWRITE=yes
SELECTED = $(SELECTION) $(if $(OVERWRITE),--overwrite)

# Install packages from a folder made by `make wheelhouse` instead of from a package index:
# make reproduce WHEELHOUSE=wheels-linux-x86_64-cp311
URL = $(shell $(PYTHON) -c 'import pathlib; print(pathlib.Path("$(WHEELHOUSE)").resolve().as_uri())')
FROM := $(if $(WHEELHOUSE),--no-index --find-links $(URL))

# $(call install,PYTHON,PACKAGES): install with uv, which takes a tenth of pip's time. If uv fails,
# for example because only pip is configured for the package index, install the same with pip.
PIP := -m pip --disable-pip-version-check install --quiet $(FROM)
define install
@$(BIN)/python -m uv pip install --quiet --no-config --no-python-downloads $(FROM) --python $(1) $(2) || \
  { echo 'uv could not install this, so pip does: $(2)' >&2; $(1) $(PIP) $(2); }
endef
RESOLVE := uv pip compile --universal --python-version 3.11 --generate-hashes \
  --quiet --custom-compile-command 'make lock (tried with Python 3.11 and 3.13)'

.PHONY: help reproduce test test-all test-faults test-cluster test-long smoke report gallery coverage numbers keys notebook \
  verify archive wheelhouse release manifest releases multiverse multiverse-smoke guarantees equal-privacy \
  empty-cells synthetic docs check cluster lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

reproduce: $(INSTALLED) ## run the paper's design into results/
	$(REPRODUCE) $(SELECTED)

# The markers in pyproject.toml divide the tests into tiers. A test without a marker is in the first
# tier. In the other tiers, the tests of a module share results; therefore one process runs the
# whole module. Each process has one thread of linear algebra, because more would only wait.
PYTEST := OPENBLAS_NUM_THREADS=1 \
  $(BIN)/python -m pytest --numprocesses logical --durations 0 --durations-min 5
BY_MODULE := --dist loadfile --no-loadscope-reorder

test: $(DEVELOPED) ## run the fast tests, including a run of one table
	$(PYTEST) --dist worksteal -m 'not slow and not faults and not cluster'

test-all: $(DEVELOPED) ## run all tests that do not need root
	$(PYTEST) $(BY_MODULE) -m 'not faults and not cluster'

test-faults: $(DEVELOPED) ## test killed runs, full disks and full memory (Linux)
	$(PYTEST) $(BY_MODULE) -m faults tests/faults

cluster: $(INSTALLED) ## install the executor that docs/cluster.md describes
	$(call install,$(BIN)/python,--require-hashes -r cluster.lock)

test-cluster: $(DEVELOPED) $(CLUSTER) $(CLOUD) ## compare runs on SLURM (Debian, root) and in storages
	$(BIN)/python -m pytest -m cluster tests/cluster

test-long: $(DEVELOPED) $(VALIDATOR) $(CLUSTER) $(CLOUD) ## run all tests that `make test` leaves out, as CI does
	@# one more process than processors, because the test of the cluster mostly waits
	$(PYTEST) --numprocesses $$(($$(nproc) + 1)) $(BY_MODULE) -m 'slow or faults or cluster'

smoke: $(INSTALLED) ## run the paper's design with few repeats: results/smoke/
	$(REPRODUCE) --design smoke $(SELECTED)

guarantees: $(INSTALLED) ## study best orders, queries and adversaries; run the audit
	$(REPRODUCE) --design guarantees $(SELECTED)

equal-privacy: $(INSTALLED) ## compare mechanisms under one guarantee, for both kinds of neighbours
	for name in equal-privacy equal-privacy-replaced; do $(REPRODUCE) --design $$name $(SELECTED) || exit; done

empty-cells: $(INSTALLED) ## release Adult with its empty cells
	$(REPRODUCE) --design empty-cells $(SELECTED)

synthetic: $(INSTALLED) ## make synthetic records and private modes
	$(REPRODUCE) --design synthetic $(SELECTED)

# Without DATASET, the name is DATASET: Snakemake refuses it and lists the existing data sets.
releases: DATASETS = $(or $(DATASET),DATASET)
releases: $(INSTALLED) ## write all sanitized counts of DATASET=mildew
	$(SNAKEMAKE) --cores $(CORES) releases $(SELECTED)

report: $(INSTALLED) ## write Snakemake's report on a finished run: results/report.html
	$(SNAKEMAKE) --report results/report.html $(SELECTED)

gallery: $(INSTALLED) ## rewrite docs/gallery.md from a finished run
	$(SNAKEMAKE) --cores $(CORES) figures claims
	$(BIN)/python docs/website/gallery.py

coverage: $(INSTALLED) ## rewrite docs/coverage.md from reference/coverage.yaml
	$(BIN)/python docs/website/statements.py

numbers: $(INSTALLED) ## rewrite docs/numbers.md from the tables of full runs and the library
	$(BIN)/python docs/website/result_tables.py
	$(BIN)/python docs/website/growth_picture.py

keys: $(INSTALLED) ## rewrite config/keys.md from the types of the configuration
	$(BIN)/python docs/website/key_list.py

notebook: $(DEVELOPED) ## run docs/notebook.ipynb and save it with its output
	$(BIN)/python tests/docs/executed.py

verify: $(INSTALLED) ## compare a finished run with reference/manifest.json
	$(SNAKEMAKE) --cores $(CORES) verify

# WHEELS=yes adds the packages that `make wheelhouse` collected.
archive: reproduce ## pack results and code into results/ggexp-….zip
	$(SNAKEMAKE) --cores $(CORES) archive$(if $(WHEELS),_with_wheels) $(SELECTED)

# One package has no wheel. When it is installed, setuptools (from setup.lock) builds it.
wheelhouse: $(INSTALLED) ## collect all locked packages into wheels-…/ (offline use)
	folder=$$($(BIN)/python -c 'import sys, sysconfig; \
	  print("wheels", sysconfig.get_platform(), "cp%d%d" % sys.version_info[:2], sep="-")') && \
	download="$(BIN)/python -m pip --disable-pip-version-check download --quiet --require-hashes \
	  --no-deps --prefer-binary --dest $$folder" && \
	$$download $(patsubst %,--requirement %,$(wildcard *.lock)) && \
	$$download --requirement tests/archive/validator.lock && \
	du -sh $$folder

# Targets that must succeed before a release.
CHECKS := check docs test-all
VERSION = $(shell sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)

release: ## check the commit and build a release into dist/, no upload
	@changed=$$(git status --porcelain) && [ -z "$$changed" ] || { printf '%s\n' \
	  'A release is made from a commit. Commit or remove these changed files:' "$$changed" >&2; \
	  exit 1; }
	@! grep --quiet '^## Unreleased' CHANGELOG.md || { \
	  echo 'CHANGELOG.md has changes under "Unreleased": replace it by the version and date' >&2; \
	  exit 1; }
	for goal in $(CHECKS) archive verify; do $(MAKE) $$goal || exit 1; done
	rm -rf dist
	$(BIN)/python -m hatchling build --directory dist
	cp results/ggexp-$(VERSION)-$$(git rev-parse --short=7 HEAD).zip dist/
	cd dist && sha256sum *
	@echo 'Nothing was uploaded. To tag this release:'
	@echo "  git tag --annotate v$(VERSION) --message 'ggexp $(VERSION)' $$(git rev-parse HEAD)"

manifest: $(INSTALLED) ## make a finished run the reference of `make verify`
	$(SNAKEMAKE) --cores $(CORES) results/manifest.json
	cp results/manifest.json reference/manifest.json

multiverse: $(INSTALLED) ## try all readings of what the paper leaves open
	$(REPRODUCE) --design multiverse

# a trial: few releases and training records, one seed and one set of bins
multiverse-smoke: $(INSTALLED) ## the same with few releases: results/multiverse-smoke/
	$(SNAKEMAKE) multiverse --cores $(CORES) --configfile config/multiverse.yaml --config repeats=2 \
	  'epsilon=[0.5, 2]' 'delta=[0.05]' 'histograms={adult: {records: {training: 1/20}}}' \
	  results_dir=results/multiverse-smoke 'multiverse={first: {seed: 1, bins: 1}}'

docs: $(INSTALLED) ## build the documentation site: site/index.html
	$(call install,$(BIN)/python,--require-hashes -r docs.lock)
	@# hides an announcement of mkdocs-material, which is maintained until May 2027
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build

check: $(DEVELOPED) ## check lint, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy --num-workers auto
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

lock: ## resolve the newest versions into the lock files (needs uv)
	$(RESOLVE) pyproject.toml --extra dev --upgrade --output-file dev.lock
	$(RESOLVE) pyproject.toml --extra build --extra workflow --constraint dev.lock --upgrade --output-file requirements.lock
	sed -i "s/^# sha256 .*/# sha256 $$(sha256sum requirements.lock | cut -c -64)/" workflow/envs/ggexp.yaml
	$(RESOLVE) pyproject.toml --extra build --extra workflow --extra cluster --constraint dev.lock --upgrade --output-file cluster.lock
	@# the library of S3 needs an older python-dateutil
	grep '==' dev.lock | sed '/^python-dateutil/d; s/ \\$$//' | $(RESOLVE) pyproject.toml tests/cluster/cloud.in --extra workflow --constraint /dev/stdin --upgrade --output-file tests/cluster/cloud.lock
	$(RESOLVE) pyproject.toml --extra workflow --extra docs --constraint dev.lock --upgrade --output-file docs.lock
	$(RESOLVE) tests/archive/validator.in --upgrade --output-file tests/archive/validator.lock
	printf 'uv\nsetuptools\n' | $(RESOLVE) - --upgrade --output-file setup.lock

clean: ## remove results, pages and environment, but no downloads
	rm -rf .venv .snakemake site
	find results -mindepth 1 -not -name README.md -delete

$(INSTALLED): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit( \
	  "Python 3.11 or newer is needed, $(PYTHON) is " + sys.version.split()[0] \
	  + "; name another with: make PYTHON=python3.12 ...")'
	@echo 'installing the packages of requirements.lock into .venv/'
	@$(PYTHON) -m venv --clear .venv
	@# only a wheel of uv, because compiling uv would take longer than it saves
	@$(BIN)/python $(PIP) --only-binary uv --require-hashes -r setup.lock || true
	$(call install,$(BIN)/python,--require-hashes -r requirements.lock)
	$(call install,$(BIN)/python,--no-deps --no-build-isolation -e .)
	@touch $@

$(DEVELOPED): dev.lock $(INSTALLED)
	@echo 'adding the packages of dev.lock'
	$(call install,$(BIN)/python,--require-hashes -r dev.lock)
	@touch $@

# A separate environment for the tests of the SLURM executor. In .venv/ the executor would delay
# every start of Snakemake by nine seconds if SLURM is installed but does not run.
$(CLUSTER): cluster.lock $(INSTALLED)
	$(BIN)/python -m venv --clear $(@D)
	$(call install,$(@D)/bin/python,--require-hashes -r $<)
	$(call install,$(@D)/bin/python,--no-deps --no-build-isolation -e .)
	@touch $@

# A separate environment for the tests of storages, to which they add a wheel of the library.
$(CLOUD): tests/cluster/cloud.lock $(INSTALLED)
	$(BIN)/python -m venv --clear $(@D)
	$(call install,$(@D)/bin/python,--require-hashes -r $<)
	@touch $@

# A separate environment for the validator of archives, which needs other versions of packages.
$(VALIDATOR): tests/archive/validator.lock $(INSTALLED)
	$(BIN)/python -m venv --clear $(@D)
	$(call install,$(@D)/bin/python,--require-hashes -r $<)
	@touch $@
