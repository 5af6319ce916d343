# Snakemake runs this in a new conda environment. The library must be the one that plans the run:
# GGEXP_SOURCE (workflow/rules/hooks.smk) is the folder of a clone, or the version of a wheel, which
# pip finds in the folders of PIP_FIND_LINKS. Both have the lock file.
set -e
case $GGEXP_SOURCE in
  /*)
    pip install --require-hashes --requirement "$GGEXP_SOURCE/requirements.lock"
    pip install --no-deps --no-build-isolation --editable "$GGEXP_SOURCE"
    ;;
  *)
    pip install --no-deps "$GGEXP_SOURCE"
    find='from importlib.util import find_spec; print(*find_spec("ggexp").submodule_search_locations)'
    pip install --require-hashes --requirement "$(python -c "$find")/project/requirements.lock"
    ;;
esac
