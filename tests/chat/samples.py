"""Small chat templates in the styles that are in use, and conversations for them."""

from __future__ import annotations

from typing import Any

CHATML = """\
{%- for message in messages %}
    {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}
"""

# Writes its BOS on line 2, and dates its system message.
LLAMA_3 = """\
{%- set date = strftime_now('%d %b %Y') if strftime_now is defined else '26 Jul 2024' %}
{{- bos_token }}
{{- '<|start_header_id|>system<|end_header_id|>\\n\\nToday: ' + date + '<|eot_id|>' }}
{%- for message in messages %}
    {{- '<|start_header_id|>' ~ message['role'] ~ '<|end_header_id|>\\n\\n' }}
    {{- message['content'] | trim }}{{ '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}
"""

# Writes its BOS as text, and cares who speaks when.
MISTRAL = """\
<s>
{%- for message in messages %}
    {%- if (message.role == 'user') != (loop.index0 is even) %}
        {{- raise_exception('roles must alternate user/assistant') }}
    {%- endif %}
    {%- if message.role == 'user' %}
        {{- ' [INST] ' + message.content + ' [/INST]' }}
    {%- else %}
        {{- ' ' + message.content + eos_token }}
    {%- endif %}
{%- endfor %}
"""

USER: list[dict[str, Any]] = [{"role": "user", "content": "Hi"}]
TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "2+2?"},
    {"role": "assistant", "content": "4"},
    {"role": "user", "content": " And 3×3? "},
]
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {"name": "f", "parameters": {"type": "object"}},
}
