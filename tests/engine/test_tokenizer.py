"""Every text becomes the tokens that `tokenizers` makes of it, and every list of tokens the text."""

import random
from functools import cache
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from .corpus import texts
from .families import MAKERS, make
from .ours import ask

COUNT = 400


@pytest.fixture(scope="module", params=list(MAKERS))
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(request.param, tmp_path_factory.mktemp(request.param))


@cache
def theirs(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def test_texts_become_the_same_tokens(folder: Path) -> None:
    corpus = texts(COUNT)
    answers = ask([{"ask": "encode", "text": text} for text in corpus], folder)
    for text, answer in zip(corpus, answers, strict=True):
        expected = theirs(folder).encode(text, add_special_tokens=False).ids
        assert answer.get("tokens") == expected, (text, answer)


def test_tokens_of_texts_become_the_same_text_piece_by_piece(folder: Path) -> None:
    lists = [theirs(folder).encode(text, add_special_tokens=False).ids for text in texts(COUNT, 2)]
    answers = ask([{"ask": "decode", "tokens": tokens} for tokens in lists], folder)
    for tokens, answer in zip(lists, answers, strict=True):
        pieces = answer["pieces"]
        assert len(pieces) == len(tokens) + 1
        assert "".join(pieces) == theirs(folder).decode(tokens, skip_special_tokens=False)


def test_random_tokens_become_the_same_text(folder: Path) -> None:
    """Most of them are no text, so broken characters are shown; byte-level tokenizers show them as `tokenizers` does.

    The others decode a run of bytes at once there, and show all of it as broken if any of it is. We show what can be
    read, since a stream cannot take back what it said: such runs are left out here.
    """
    draws = random.Random(3)
    size = theirs(folder).get_vocab_size()
    is_byte_level = theirs(folder).id_to_token(300) and theirs(folder).token_to_id("<0x00>") is None
    lists = [[draws.randrange(size + 3) for _ in range(draws.randint(1, 60))] for _ in range(COUNT)]
    if not is_byte_level:
        bytes_ = {theirs(folder).token_to_id(f"<0x{byte:02X}>") for byte in range(256)}
        lists = [[token for token in tokens if token not in bytes_] for tokens in lists]
    answers = ask([{"ask": "decode", "tokens": tokens} for tokens in lists], folder)
    for tokens, answer in zip(lists, answers, strict=True):
        assert "".join(answer["pieces"]) == theirs(folder).decode(tokens, skip_special_tokens=False), tokens


def test_no_piece_holds_half_a_character(folder: Path) -> None:
    lists = [theirs(folder).encode(text.replace("\ufffd", ""), add_special_tokens=False).ids for text in texts(COUNT, 4)]
    for answer in ask([{"ask": "decode", "tokens": tokens} for tokens in lists], folder):
        assert not any("\ufffd" in piece for piece in answer["pieces"])
