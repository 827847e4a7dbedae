"""What looks like a control token of some chat format, whatever the vocabulary says."""

from __future__ import annotations

import re

__all__ = ["MARKER"]

# Spellings of published chat formats. Plain tags such as <think> or <tool_call> are left out: many
# templates mean them as text.
MARKER = re.compile(
    r"<\|[^\s<>|]{1,60}\|>"  # <|im_start|> <|eot_id|> <|tool_call:begin|>
    r"|<｜[^\s<>｜]{1,60}｜>"  # <｜User｜> <｜end▁of▁sentence｜>
    r"|<\|[a-z_]{2,40}>|<[a-z_]{2,40}\|>"  # <|turn> <turn|>
    r"|</?(?:start|begin|beginning|end)_of_[a-z]{2,20}>"  # <start_of_turn>
    r"|<(?:s|bos|eos|pad|unk|sop|eop)>|</s>"
    r"|</?seed:[a-z_]{2,40}>"
    r"|\[/?[A-Z][A-Z_]{2,40}\]"  # [INST] [/INST] [TOOL_CALLS]
    r"|\]~[a-z]{1,3}\[|\[e~\["
)
