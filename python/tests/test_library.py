"""What the library says of itself, and how it fails."""

from importlib import metadata

import pytest

import exo_mobile
from exo_mobile import ErrorKind, ExoError


def test_the_library_and_the_package_have_one_version() -> None:
    assert exo_mobile.about().version == metadata.version("exo-mobile")


def test_it_says_what_it_can_do() -> None:
    about = exo_mobile.about()
    assert about.backends[-1] == "cpu"
    assert about.exo_builds


def test_a_record_shows_its_fields_and_can_be_compared_with_anything() -> None:
    about = exo_mobile.about()
    assert f"version={about.version!r}" in repr(about)
    assert about == exo_mobile.about()
    assert about != "something else"


def test_a_panic_is_an_error_of_the_kind_fault() -> None:
    with pytest.raises(ExoError) as caught:
        exo_mobile.provoke_fault()
    assert caught.value.kind is ErrorKind.FAULT
    assert "a fault was provoked" in caught.value.detail
    assert not caught.value.is_retryable
    assert exo_mobile.about(), "and the library goes on"


def test_a_link_is_shown_before_it_is_used() -> None:
    shown = exo_mobile.read_link("exo://192.168.1.7?ns=home")
    assert (shown.host, shown.namespace) == ("192.168.1.7", "home")


def test_a_bad_link_says_what_to_write() -> None:
    with pytest.raises(ExoError, match="exo://") as caught:
        exo_mobile.read_link("http://example.org")
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT
    assert not caught.value.is_permission


def test_a_wrong_type_is_a_type_error_as_anywhere_in_python() -> None:
    with pytest.raises(TypeError):
        exo_mobile.read_link(7)  # pyright: ignore[reportArgumentType]


def test_text_that_no_other_language_has_is_refused() -> None:
    with pytest.raises(ExoError) as caught:
        exo_mobile.read_link("exo://\udc80")
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT


def test_a_problem_that_is_no_problem_is_refused() -> None:
    with pytest.raises(ExoError) as caught:
        exo_mobile.place("{}")
    assert caught.value.kind is ErrorKind.INVALID_ARGUMENT


def test_a_missing_permission_says_so() -> None:
    assert ExoError(ErrorKind.NOT_PERMITTED, "no local network").is_permission
