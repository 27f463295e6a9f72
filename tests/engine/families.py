"""Small models of the families that exo serves: their kinds of tokenizer, trained here, with templates in their style.

Real tokenizers are not ours to copy. What matters is their shape: the expressions that split text, byte-level alphabets,
marks for spaces with bytes for the rest, added tokens, decoders.
"""

import json
from pathlib import Path

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from .corpus import texts

LLAMA_3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
GPT_4O = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEMPLATES = Path(__file__).parent / "templates"


def byte_level(expression: str, size: int = 900) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(ignore_merges=expression is LLAMA_3))
    if expression is QWEN:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(expression), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts(300, 5), trainers.BpeTrainer(vocab_size=size, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


def gpt_2() -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts(200, 6), trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


def deepseek() -> Tokenizer:
    """Several splits in a row, with classes of ranges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated"),
            pre_tokenizers.Split(Regex("[一-龥぀-ゟ゠-ヿ]+"), "isolated"),
            pre_tokenizers.Split(
                Regex(
                    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
                    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
                ),
                "isolated",
            ),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    tokenizer.train_from_iterator(texts(200, 7), trainers.BpeTrainer(vocab_size=700, initial_alphabet=alphabet, show_progress=False))
    return tokenizer


def marked(normalizer: object, pre_tokenizer: object, decoder: object) -> Tokenizer:
    """Marks for spaces, bytes for what is rare."""
    special = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    tokenizer = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    if normalizer is not None:
        tokenizer.normalizer = normalizer
    # Words of the training alone: without them every merge would be within one long text.
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("▁"), "merged_with_next")
    plain = [text for text in texts(300, 8)]
    trainer = trainers.BpeTrainer(vocab_size=1200, limit_alphabet=150, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(plain, trainer)
    file = json.loads(tokenizer.to_str())
    file["added_tokens"] = []
    file["pre_tokenizer"] = None
    tokenizer = Tokenizer.from_str(json.dumps(file))
    if pre_tokenizer is not None:
        tokenizer.pre_tokenizer = pre_tokenizer
    tokenizer.decoder = decoder
    tokenizer.add_special_tokens(["<unk>", "<s>", "</s>"])
    return tokenizer


def gemma() -> Tokenizer:
    return marked(
        normalizers.Replace(" ", "▁"),
        pre_tokenizers.Split(" ", "merged_with_previous"),
        decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]),
    )


def llama_2() -> Tokenizer:
    return marked(
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        None,
        decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
    )


def mistral() -> Tokenizer:
    """The mark is the pre-tokenizer's."""
    return marked(
        normalizers.Replace(" ", "▁"),
        pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="first", split=False),
        decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
    )


ADDED = {
    "llama-3": ["<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|eom_id|>", "<|python_tag|>"],
    "qwen": ["<|endoftext|>", "<|im_start|>", "<|im_end|>"],
    "gpt-4o": ["<|endoftext|>", "<|im_end|>"],
    "gpt-2": ["<|endoftext|>"],
    "deepseek": ["<|end|>"],
    "gemma": ["<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"],
    "llama-2": ["[INST]", "[/INST]"],
    "mistral": ["[INST]", "[/INST]", "[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_CALLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"],
}
MAKERS = {
    "llama-3": lambda: byte_level(LLAMA_3),
    "qwen": lambda: byte_level(QWEN),
    "gpt-4o": lambda: byte_level(GPT_4O),
    "gpt-2": gpt_2,
    "deepseek": deepseek,
    "gemma": gemma,
    "llama-2": llama_2,
    "mistral": mistral,
}
ENDS = {"llama-3": "<|eot_id|>", "qwen": "<|im_end|>", "gemma": "<eos>", "mistral": "</s>", "llama-2": "</s>", "deepseek": "<|end|>"}
STARTS = {"llama-3": "<|begin_of_text|>", "gemma": "<bos>", "mistral": "<s>", "llama-2": "<s>"}


def make(family: str, folder: Path) -> Path:
    """Writes the files of a small model of that family."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = MAKERS[family]()
    tokenizer.add_special_tokens(ADDED[family])
    if family == "qwen":
        words = ["<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>"]
        tokenizer.add_tokens([AddedToken(word, special=False, normalized=False) for word in words])
    if family == "deepseek":
        tokenizer.add_tokens([AddedToken("day", single_word=True), AddedToken("<|left|>", lstrip=True), AddedToken("<|right|>", rstrip=True)])
    if family == "gemma":
        tokenizer.add_tokens([AddedToken(text, normalized=False) for text in ["\n\n", "\n\n\n", "\t\t", "▁▁", "<table>"]])
    tokenizer.save(str(folder / "tokenizer.json"))
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "eos_token": ENDS.get(family, "<|endoftext|>")}
    if family in STARTS:
        settings["bos_token"] = STARTS[family]
    template = TEMPLATES / f"{family}.jinja"
    settings["chat_template"] = template.read_text() if template.exists() else "{{ messages[0].content }}"
    (folder / "tokenizer_config.json").write_text(json.dumps(settings))
    return folder
