"""Writes double-bos.gguf, a tiny model whose chat template repeats what its vocabulary does.

It holds a tokenizer and a chat template and no weights: enough to find a double BOS in.
"""

from __future__ import annotations

import sys

import gguf

NORMAL, UNKNOWN, CONTROL, BYTE = 1, 2, 3, 6

# It writes the BOS, and SPM vocabularies add one where no key says otherwise.
TEMPLATE = """\
{{- bos_token }}
{%- for message in messages %}
    {{- '<|' + message.role + '|>' + message.content + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|assistant|>' }}
{%- endif %}
"""

path = sys.argv[1] if len(sys.argv) > 1 else "double-bos.gguf"
controls = ["<s>", "</s>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]
columns = [
    (UNKNOWN, ["<unk>"]),
    (CONTROL, controls),
    (BYTE, [f"<0x{byte:02X}>" for byte in range(256)]),
    (NORMAL, ["▁", "▁How", "▁are", "▁you", "?"]),
]
tokens = [text for _, texts in columns for text in texts]

writer = gguf.GGUFWriter(path, "llama")
writer.add_tokenizer_model("llama")
writer.add_token_list(tokens)
writer.add_token_scores([0.0] * len(tokens))
writer.add_token_types([type for type, texts in columns for _ in texts])
writer.add_bos_token_id(tokens.index("<s>"))
writer.add_eos_token_id(tokens.index("</s>"))
writer.add_eot_token_id(tokens.index("<|end|>"))
writer.add_chat_template(TEMPLATE)
writer.write_header_to_file()
writer.write_kv_data_to_file()
writer.close()
print(f"{path}: {len(tokens)} tokens, and a chat template")
