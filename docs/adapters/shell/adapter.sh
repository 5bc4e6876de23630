#!/bin/sh
# From the implementation contract to a tool in the style of Go programs: flags with one
# dash, findings on standard error as FILE:LINE:COLUMN: MESSAGE, exit code 1 for a
# finding and 2 for a wrong command line. It is a start for an adapter of your own;
# TOOL names the program that it runs.
#
#     adapter.sh validate MANIFEST            TOOL check MANIFEST
#     adapter.sh validate --strict MANIFEST   TOOL check -strict MANIFEST
#     adapter.sh match RUNTIME MANIFEST       TOOL match -runtime=RUNTIME MANIFEST

: "${TOOL:=living}"

case $1 in
validate)
  strict=
  if [ "$2" = --strict ]; then
    strict=-strict
    shift
  fi
  [ $# -eq 2 ] || exit 64
  document=$2
  set -- "$TOOL" check ${strict:+"$strict"} "$document"
  ;;
match)
  [ $# -eq 3 ] || exit 64
  document=$3
  set -- "$TOOL" match "-runtime=$2" "$document"
  ;;
--version)
  exec "$TOOL" version
  ;;
*)
  echo "usage: $0 validate [--strict] MANIFEST | match RUNTIME MANIFEST" >&2
  exit 64
  ;;
esac

# Findings belong on standard output, one a line. What stands before the message is of
# no use to the harness, and a file name in it could look like a finding.
findings=$("$@" 2>&1 >/dev/null)
code=$?
[ -z "$findings" ] || printf '%s\n' "$findings" | sed 's/^[^:]*:[0-9]*:[0-9]*: //'

# 0 and 1 are the verdict. Whatever else the tool ends with is not, and the harness
# has to see it: a tool that broke has decided nothing.
exit "$code"
