#!/bin/sh
# Fails when a model's tokenizer is broken, or when a prompt outgrows its budget.
#
#   guard.sh BUDGET MODEL PROMPT...
#
# BUDGET is in tokens, each PROMPT a file, counted as the server counts it: byte for byte, BOS and
# EOS included. For what a warning means, and to ignore one: tokcli check --explain TOK504.
set -u

if [ $# -lt 3 ]; then
    echo "usage: guard.sh BUDGET MODEL PROMPT..." >&2
    exit 2
fi
budget=$1 model=$2
shift 2

status=0
tokcli check "$model" --fail-on warning || status=$?
for prompt in "$@"; do
    tokcli tokenize -m "$model" --no-escape --add-special --max-tokens "$budget" --count \
        -f "$prompt" || status=$?
done
exit $status
