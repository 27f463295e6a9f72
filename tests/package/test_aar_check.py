"""Whatever would hurt an app or its users is found before the archive leaves."""

from pathlib import Path

import aar_check
import pytest
from archive import HOST, LIBRARY, LINKED, SOURCE, Archive, class_file, library


@pytest.fixture
def good(tmp_path: Path) -> Archive:
    return Archive(library(tmp_path))


def wrong_with(archive: Archive, *, link_checked: bool = False) -> list[str]:
    return aar_check.judge(archive.packed(), [HOST], link_checked)[0]


def only_wrong(archive: Archive) -> str:
    (line,) = wrong_with(archive)
    return line


def test_an_archive_that_is_as_it_should_be_passes_and_is_weighed(good: Archive) -> None:
    wrong, weights = aar_check.judge(good.packed(), [HOST], False)
    assert wrong == []
    assert weights == {HOST: len(good.library)}


@pytest.mark.parametrize("name", ["AndroidManifest.xml", "R.txt", "proguard.txt", aar_check.METADATA, LIBRARY])
def test_nothing_may_be_missing(good: Archive, name: str) -> None:
    good.without = name
    assert only_wrong(good) == f"{name} is missing"


def test_nothing_else_may_be_in_it(good: Archive) -> None:
    good.more["jni/x86/libexo_mobile.so"] = b""
    assert only_wrong(good) == "jni/x86/libexo_mobile.so does not belong into it"


def test_each_of_our_modules_is_in_its_classes(good: Archive) -> None:
    del good.classes["dev/exo/mobile/android/ExoNodeService.class"]
    assert only_wrong(good) == "classes.jar: dev/exo/mobile/android/ExoNodeService.class is missing"


def test_classes_of_others_come_by_the_pom_and_not_inside(good: Archive) -> None:
    good.classes["com/sun/jna/Native.class"] = class_file()
    assert only_wrong(good) == "classes.jar: com/sun/jna/Native.class is not ours"


def test_classes_for_a_newer_java_are_refused(good: Archive) -> None:
    good.classes["dev/exo/mobile/ExoNode.class"] = class_file(61)
    assert "needs a newer Java than 11" in only_wrong(good)


def test_a_library_for_pages_of_4_kib_is_refused(tmp_path: Path) -> None:
    linked = tuple(option.replace("16384", "4096") for option in LINKED)
    assert all("aligned to 4096 bytes" in line for line in wrong_with(Archive(library(tmp_path, linked=linked))))
    assert wrong_with(Archive(library(tmp_path, linked=linked)))


def test_a_library_with_its_symbols_is_refused(tmp_path: Path) -> None:
    wrong = wrong_with(Archive(library(tmp_path, strip=False)))
    assert f"{LIBRARY}: it is not stripped: it has .symtab" in wrong
    assert f"{LIBRARY}: it is not stripped: it has .debug_info" in wrong


def test_a_name_that_nobody_calls_may_not_be_exported(tmp_path: Path) -> None:
    archive = Archive(library(tmp_path, f"{SOURCE} void stray(void) {{}}"))
    assert only_wrong(archive) == f"{LIBRARY}: it exports stray, which nobody calls"


def test_what_only_the_generator_of_bindings_reads_may_not_be_exported(tmp_path: Path) -> None:
    archive = Archive(library(tmp_path, f"{SOURCE} const char UNIFFI_META_EXO_MOBILE_FUNC_ABOUT[] = {{0}};"))
    assert only_wrong(archive) == f"{LIBRARY}: it exports UNIFFI_META_EXO_MOBILE_FUNC_ABOUT, which nobody calls"


def test_every_function_that_the_bindings_call_is_there(good: Archive) -> None:
    good.classes["dev/exo/mobile/core/Newer.class"] = class_file(55, "uniffi_exo_mobile_fn_func_newer")
    assert only_wrong(good) == f"{LIBRARY}: the bindings call uniffi_exo_mobile_fn_func_newer, and it has none"


def test_a_library_that_android_does_not_give_to_apps_may_not_be_wanted(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "libother.so").write_bytes(library(tmp_path / "other", "int other;", "-Wl,-soname,libother.so"))
    archive = Archive(library(tmp_path, SOURCE, "-Wl,--no-as-needed", "-L.", "-lother"))
    assert only_wrong(archive) == f"{LIBRARY}: it wants libother.so, which Android does not give to apps"


def calls(name: str, how: str = "") -> str:
    return f"void {name}(void) {how}; void ffi_exo_mobile_call(void) {{ {name}(); }}"


def test_a_name_of_a_newer_android_may_not_be_wanted(tmp_path: Path) -> None:
    archive = Archive(library(tmp_path, calls("getentropy")))
    assert f"{LIBRARY}: it wants getentropy: if Android 8 has it" in only_wrong(archive)


def test_a_name_that_is_looked_up_first_may_be_missing(tmp_path: Path) -> None:
    assert wrong_with(Archive(library(tmp_path, calls("getentropy", "__attribute__((weak))")))) == []


def test_only_a_library_that_does_not_ship_may_lack_the_unwinder(tmp_path: Path) -> None:
    archive = Archive(library(tmp_path, calls("_Unwind_Resume")))
    assert "it wants _Unwind_Resume" in only_wrong(archive)
    assert wrong_with(archive, link_checked=True) == []


def test_a_library_above_its_gate_is_refused(good: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(aar_check, "gates", lambda: {HOST: 1000})
    assert "and 1000 are allowed" in only_wrong(good)


def test_a_library_for_another_kind_of_device_is_refused(good: Archive) -> None:
    other = next(abi for abi in aar_check.gates() if abi != HOST)
    good.more[f"jni/{other}/libexo_mobile.so"] = good.library
    wrong, _ = aar_check.judge(good.packed(), [HOST, other], False)
    assert wrong == [f"jni/{other}/libexo_mobile.so: it is for {HOST}"]


def test_what_is_no_library_is_refused(good: Archive) -> None:
    good.library = b"no library at all"
    assert "does not begin as an ELF file does" in only_wrong(good)
