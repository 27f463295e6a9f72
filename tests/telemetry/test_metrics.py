"""Prometheus reads what we show, and the example rules ask for metrics that exist."""

import re
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[2]
# Written and checked by the tests of exo-telemetry.
TEXT = (ROOT / "tests/vectors/telemetry/metrics.txt").read_text()


@pytest.fixture(scope="module")
def families():
    return {family.name: family for family in text_string_to_metric_families(TEXT)}


def test_every_family_has_help_a_type_and_a_unit_where_there_is_one(families):
    assert len(families) >= 30
    for family in families.values():
        assert family.documentation and family.type in ("gauge", "counter"), family.name
    for unit in ("bytes", "celsius", "watts", "ratio", "seconds"):
        assert any(name.endswith(f"_{unit}") for name in families), unit


def test_what_is_unavailable_has_no_sample(families):
    devices = {sample.labels["device"] for sample in families["exo_device_temperature_celsius"].samples}
    assert "pixel-9" not in devices, "the phone tells headroom, not degrees"
    assert "desk" in devices


def test_names_of_others_arrive_as_they_were(families):
    names = {sample.labels["name"] for sample in families["exo_device_info"].samples}
    assert 'a "quoted" \\ name' in names and "Ada's Pixel" in names


def test_no_series_comes_twice(families):
    series = [
        (sample.name, tuple(sorted(sample.labels.items()))) for family in families.values() for sample in family.samples
    ]
    assert len(series) == len(set(series))


def test_example_rules_ask_for_metrics_that_exist(families):
    rules = yaml.safe_load((ROOT / "docs/alerts.yml").read_text())
    known = {sample.name for family in families.values() for sample in family.samples} | set(families)
    alerts = [rule for group in rules["groups"] for rule in group["rules"]]
    assert {"DeviceHot", "DeviceBatteryLow", "DeviceStale", "DeviceMemoryPressure"} <= {rule["alert"] for rule in alerts}
    for rule in alerts:
        asked = set(re.findall(r"\bexo_[a-z_]+", rule["expr"]))
        assert asked and asked <= known, rule["alert"]
        assert rule["annotations"]["summary"] and rule["labels"]["severity"] in ("warning", "critical")
