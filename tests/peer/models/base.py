"""What all models share: strictness, the one-key tag, ids, amounts of bytes."""

from typing import Annotated, Any
from uuid import uuid4

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_serializer, model_validator
from pydantic.alias_generators import to_camel

STRICT = ConfigDict(strict=True, extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)


class Strict(BaseModel):
    """snake_case or camelCase keys, no unknown key, no coercion."""

    model_config = STRICT


class Tagged(Strict):
    """Travels as `{"ClassName": {...}}`. The bare body is accepted too wherever it fits."""

    @classmethod
    def tag(cls) -> str:
        return cls.__name__

    @model_validator(mode="wrap")
    @classmethod
    def _open_tag(cls, given: Any, body: Any) -> Any:
        is_tagged = isinstance(given, dict) and list(given) == [cls.tag()]
        return body(given[cls.tag()]) if is_tagged else body(given)

    @model_serializer(mode="wrap")
    def _close_tag(self, body: Any) -> dict[str, Any]:
        return {self.tag(): body(self)}


class Loose(BaseModel):
    """exo's few models that ignore unknown keys and coerce where they are not inside a strict one."""

    model_config = ConfigDict(frozen=True)


def fresh_id() -> str:
    return str(uuid4())


# exo puts a fresh uuid in the place of an empty id, which matters where two ids are compared.
Id = Annotated[str, AfterValidator(lambda given: given or fresh_id())]
Natural = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(gt=0)]


class Memory(Strict):
    in_bytes: int = 0


class SessionId(Strict):
    master_node_id: Id
    election_clock: int
