#!/usr/bin/env bash
# What action.yml does. Its inputs are in variables; each becomes one word of a command, or
# one a line, and is never read as shell. Works with bash 3.2, as macOS has it.
set -euo pipefail

# Ends in error; what is said has no character that a command of a workflow would need
# escaped.
refuse() {
  printf '::error title=living-conformance::%s\n' "$1"
  exit 2
}

# The lines of a text that are not blank, in the array `lines`.
split() {
  lines=()
  local line
  while IFS= read -r line || [ -n "$line" ]; do
    line=${line%$'\r'}
    [[ $line =~ ^[[:space:]]*$ ]] || lines+=("$line")
  done <<< "$1"
}

# Adds an option with its value, where there is one.
option() {
  [ -z "$2" ] || words+=("--$1=$2")
}

[ "${RUNNER_OS:-Linux}" != Windows ] || refuse 'Windows runners are not supported; use Linux or macOS'

program=${INPUT_PROGRAM:-}
if [ -z "$program" ]; then
  root=${RUNNER_TEMP:?}/living-conformance
  program=$root/bin/living-conformance
  [ -x "$program" ] || cargo install --locked --path "${GITHUB_ACTION_PATH:?}" --root "$root"
else
  case $program in *$'\n'*) refuse 'the input program is more than one line' ;; esac
  [ -f "$program" ] || refuse 'the input program names no file'
  case $program in /*) ;; *) program=$PWD/$program ;; esac
  # An artifact has lost the bit.
  [ -x "$program" ] || chmod u+x -- "$program"
fi
outputs=${GITHUB_OUTPUT:-/dev/null}
printf 'program=%s\n' "$program" >> "$outputs"

case ${INPUT_INSTALL_ONLY:-false} in
  true) exit 0 ;;
  false) ;;
  *) refuse 'the input install-only is neither true nor false' ;;
esac

words=()
split "${INPUT_MERGE:-}"
patterns=("${lines[@]+"${lines[@]}"}")
if [ ${#patterns[@]} -gt 0 ]; then
  given=${INPUT_IMPL:-}${INPUT_ARGS:-}${INPUT_PROFILE:-}${INPUT_PROTOCOL:-}
  given=$given${INPUT_EXPECT:-}${INPUT_SHARD:-}
  [ -z "$given" ] || refuse 'merge runs nothing; of the other inputs it goes with reports, options and program'
  words+=(merge)
else
  option impl "${INPUT_IMPL:-}"
  option profile "${INPUT_PROFILE:-}"
  option protocol "${INPUT_PROTOCOL:-}"
  option expect "${INPUT_EXPECT:-}"
  option shard "${INPUT_SHARD:-}"
fi

split "${INPUT_REPORTS:-}"
for line in "${lines[@]+"${lines[@]}"}"; do
  option report "$line"
  path=${line#*=}
  case $path in
    "$line" | "" | -) ;; # no path; the program says what is wrong, if anything is
    *) mkdir -p -- "$(dirname -- "$path")" ;;
  esac
done

split "${INPUT_OPTIONS:-}"
words+=("${lines[@]+"${lines[@]}"}")

if [ ${#patterns[@]} -gt 0 ]; then
  words+=(--)
  for pattern in "${patterns[@]}"; do
    if [ -e "$pattern" ]; then
      words+=("$pattern")
    else
      split "$(compgen -G "$pattern" || true)"
      [ ${#lines[@]} -gt 0 ] || refuse 'no report is where the input merge looks for some'
      words+=("${lines[@]}")
    fi
  done
else
  split "${INPUT_ARGS:-}"
  [ ${#lines[@]} -eq 0 ] || words+=(-- "${lines[@]}")
fi

code=0
"$program" "${words[@]+"${words[@]}"}" || code=$?
printf 'exit-code=%s\n' "$code" >> "$outputs"
exit "$code"
