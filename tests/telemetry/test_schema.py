"""The schema in docs/ and the vectors agree, and so do the schema and the parser on what is no message."""

import json
from pathlib import Path

import jsonschema
import pytest

ROOT = Path(__file__).parents[2]
VECTORS = ROOT / "tests/vectors/telemetry"
SCHEMA = json.loads((ROOT / "docs/schema/telemetry-1.0.json").read_text())
MESSAGES = json.loads((VECTORS / "messages.json").read_text())["messages"]
REFUSED = json.loads((VECTORS / "refused.json").read_text())["refused"]
# What is not JSON, or too deep, a schema cannot say.
SAYABLE = {"missing", "field", "bad_version", "other_major", "unknown_type"}


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.parametrize("vector", MESSAGES, ids=lambda vector: vector["name"])
def test_what_is_read_fits_the_schema(schema, vector):
    message = json.loads(vector["message"])
    if message["protocol"] == "1.0":
        schema.validate(message)
    else:
        assert not schema.is_valid(message), "the schema is that of 1.0"


@pytest.mark.parametrize(
    "vector", [vector for vector in REFUSED if vector["error"] in SAYABLE], ids=lambda vector: vector["name"]
)
def test_what_is_refused_does_not_fit(schema, vector):
    assert not schema.is_valid(json.loads(vector["text"]))


def test_every_example_of_the_document_fits(schema):
    blocks = (ROOT / "docs/telemetry.md").read_text().split("```json\n")[1:]
    examples = [json.loads(block.split("```")[0]) for block in blocks]
    messages = [example for example in examples if "protocol" in example]
    assert {message["type"] for message in messages} == set(SCHEMA["properties"]["type"]["enum"])
    for message in messages:
        schema.validate(message)
