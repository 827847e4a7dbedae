#!/usr/bin/env bash
# A check for continuous integration: every prompt in a folder fits its budget of tokens, and none
# has anything that tokenize warns about. Exit status 1 names the file that does not.
set -euo pipefail

prompts=${1:-prompts}
budget=${2:-64}

if [ ! -d "$prompts" ]; then # something to show when there is nothing to check
  mkdir "$prompts"
  printf 'You are a helpful assistant.\n' > "$prompts/system.txt"
  printf 'Summarise the following text in one sentence:\n' > "$prompts/summary.txt"
fi

shopt -s nullglob
files=()
for file in "$prompts"/*.txt; do
  files+=(-f "$file")
done
if [ ${#files[@]} -eq 0 ]; then
  echo "$prompts: no .txt file to check" >&2
  exit 3
fi
tokcli tokenize "${files[@]}" --no-escape --count --max-tokens "$budget" --strict
