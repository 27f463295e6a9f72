"""Texts that tokenizers get wrong: scripts, marks, emoji, code, control characters, and random mixtures of all."""

import random

TEXTS = [
    "",
    " ",
    "  ",
    "Hello, world!",
    " leading and trailing ",
    "It's we'll THEY'RE I'D don't 'S 'ſ",
    "tabs\tand\nnew\r\nlines\n\n\n   and\n  indents\t\t",
    "numbers 1 12 123 1234 12345 3.14159 1,000,000 ²³ ½ Ⅳ १२३",
    "def f(x):\n    return {'a': [1, 2, *x]}  # comment\n\n\tif x != y: pass\n",
    "<html><body class=\"x\">&amp;</body></html>",
    "SELECT * FROM t WHERE a<>b -- ok;",
    "naïve café résumé Ångström e\u0301 a\u030a \u1e9b\u0323",
    "你好，世界！漢字かな交じり文。한국어 텍스트",
    "Привет, мир! Ελληνικά العربية עברית हिन्दी ไทย",
    "👍 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 ✈️ \U0001f9d1\U0001f3fd‍\U0001f680 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𓀀",
    "\x00\x01\x07\x1b[0m\x7f\x80\x9f\xa0\xad\u200b\u200d\u2028\u2029\ufeff\ufffd\ue000\U0010fffd",
    "mixed\u00a0no-break\u2003em\u3000ideographic spaces",
    "a" * 300 + " " + "ab" * 200,
    " " * 40 + "x" + "\n" * 30 + "y",
    "=" * 70 + "\n" + "-" * 33,
    "https://example.org/a?b=c&d=%20#frag user@example.com C:\\path\\file.txt",
    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n<think>\nhm\n</think>\n\n",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
    "<start_of_turn>user\nhi<end_of_turn>\n<bos><eos><unk>",
    "almost <|im_end <|im_end| <|im_end|>> <think ></think>",
]

ALPHABETS = [
    "abcdefghijklmnopqrstuvwxyz     ",
    "ABCxyz0123456789 '\n\t.,;!?-_()[]{}<>/\\\"",
    "äöüßéèñçøåÆŒ ",
    "你好世界漢字かなカナ한국 ，。",
    "👍😀🎉❤️🇩🇪\u200d\ufe0f ",
    "\x00\x01\x1b\x7f\u0300\u0301\u200b\u2028 \n",
    "абвгдеж αβγδ אבג عربي हिंदी ไทย ",
]


def texts(count: int, seed: int = 1) -> list[str]:
    """The texts above, and `count` more that are drawn from the seed."""
    draws = random.Random(seed)
    drawn = []
    for _ in range(count):
        parts = []
        for _ in range(draws.randint(1, 8)):
            if draws.random() < 0.25:
                parts.append(draws.choice(TEXTS)[: draws.randint(1, 40)])
            elif draws.random() < 0.1:
                parts.append("".join(chr(scalar(draws)) for _ in range(draws.randint(1, 6))))
            else:
                alphabet = draws.choice(ALPHABETS)
                parts.append("".join(draws.choice(alphabet) for _ in range(draws.randint(1, 30))))
        drawn.append("".join(parts))
    return TEXTS + drawn


def scalar(draws: random.Random) -> int:
    """Any character that Unicode has had for some years: the newest ones differ between versions of its tables."""
    return draws.choice([draws.randint(0x20, 0x52F), draws.randint(0x4E00, 0x9FA5), draws.randint(0x1F600, 0x1F64F)])
