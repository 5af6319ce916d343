# Snakemake runs this in a new conda environment. The library must be the one that plans the run:
# GGEXP_SOURCE (workflow/rules/hooks.smk) is the folder of a clone, or the version of a wheel, which
# pip finds in the folders of PIP_FIND_LINKS.
case $GGEXP_SOURCE in
  /*) pip install --no-deps --no-build-isolation --editable "$GGEXP_SOURCE" ;;
  *) pip install --no-deps "$GGEXP_SOURCE" ;;
esac
