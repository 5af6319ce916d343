#!/usr/bin/env bash
# Jobs without a shared file system, for the tests: `elsewhere.sh submit SCRIPT` starts a job in an
# empty folder below $JOBS, with an empty environment, and prints the folder; `elsewhere.sh status
# FOLDER` prints the job's state.
set -euo pipefail

submit() {
  folder=$(mktemp -d "$JOBS/XXXXXX")
  cp "$1" "$folder/script"
  mkdir "$folder/place"
  (
    cd "$folder/place"
    code=0
    env -i PATH="$PATH" PYTHONPATH="$PYTHONPATH" HOME="$folder" bash ../script || code=$?
    echo "$code" >../code.new
    mv ../code.new ../code
  ) >"$folder/printed" 2>&1 &
  echo "$folder"
}

status() {
  case $(cat "$1/code" 2>/dev/null || echo none) in
    none) echo running ;;
    0) echo success ;;
    *) echo failed ;;
  esac
}

"$@"
