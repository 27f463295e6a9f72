//! The devices here are made up, with the properties that their families have.

use super::*;

fn phone() -> (Facts, System) {
    let facts = Facts {
        name: "Apple A17 Pro GPU".into(),
        families: Families { apple: 9, mac2: false, metal3: true, metal4: false },
        has_unified_memory: true,
        is_simulator: false,
        working_set_bytes: Some(5 << 30),
        max_buffer_bytes: 4 << 30,
        max_threads: [1024; 3],
        threadgroup_memory_bytes: 32 << 10,
    };
    let system =
        System { name: "iOS", version: [18, 1, 0], build: Some("22B83".into()), memory_bytes: 8 << 30 };
    (facts, system)
}

fn card() -> (Facts, System) {
    let facts = Facts {
        name: "AMD Radeon Pro 5500M".into(),
        families: Families { apple: 0, mac2: true, metal3: true, metal4: false },
        has_unified_memory: false,
        working_set_bytes: Some(4 << 30),
        ..phone().0
    };
    let system = System { name: "macOS", version: [14, 2, 1], build: None, memory_bytes: 32 << 30 };
    (facts, system)
}

#[test]
fn a_phone_is_described_by_what_metal_said() {
    let (facts, system) = phone();
    let it = describe(&facts, &system);
    assert_eq!((it.vendor, it.vendor_id, it.kind), (Vendor::Apple, 0x106B, DeviceKind::Integrated));
    assert_eq!(it.driver, Driver { name: "Metal Apple9".into(), version: "iOS 18.1.0 (22B83)".into() });
    assert_eq!(it.api, ApiVersion { major: 3, minor: 0, patch: 0 });
    assert_eq!((it.total_memory(), it.memory_budget()), (8 << 30, Some(5 << 30)));
    assert!(it.unified_memory && it.memory_types[0].host_coherent);
    assert_eq!(it.subgroup_size, Some(32));
    assert_eq!(it.limits.max_binding_bytes, 4 << 30);
    assert_eq!(it.limits.max_bindings, 30);
    assert!(it.features.f16 && !it.features.dot_product);
}

#[test]
fn a_card_has_memory_of_its_own_that_the_host_does_not_see() {
    let (facts, system) = card();
    let it = describe(&facts, &system);
    assert_eq!((it.vendor, it.vendor_id, it.kind), (Vendor::Amd, 0x1002, DeviceKind::Discrete));
    assert_eq!(it.driver, Driver { name: "Metal Mac2".into(), version: "macOS 14.2.1".into() });
    assert_eq!(it.total_memory(), 4 << 30, "the machine's 32 GiB are not the card's");
    assert!(!it.unified_memory && !it.memory_types[0].host_visible);
    assert_eq!(it.subgroup_size, None, "the width of a wave is not known before a kernel is compiled");
}

#[test]
fn nothing_is_invented_where_metal_is_silent() {
    let (mut facts, system) = phone();
    facts.working_set_bytes = None;
    let it = describe(&facts, &system);
    assert_eq!(it.memory_budget(), None);
    assert!(!it.features.memory_budget);
    assert!(matches!(it.compute_units, ComputeUnits::Unavailable { .. }));
    assert_eq!(it.uuid, None);
}

#[test]
fn subgroup_features_follow_the_family() {
    let of = |apple, mac2| {
        let mut facts = phone().0;
        facts.families = Families { apple, mac2, ..Families::default() };
        let features = features_of(&facts);
        (features.subgroup_shuffle, features.subgroup_arithmetic)
    };
    assert_eq!(of(5, false), (false, false), "A12");
    assert_eq!(of(6, false), (true, false), "A13");
    assert_eq!(of(7, false), (true, true), "A14, M1");
    assert_eq!(of(10, true), (true, true), "M5");
    assert_eq!(of(0, true), (true, true), "Macs with AMD or Intel");
    assert_eq!(of(0, false), (false, false), "whatever came before");
}

#[test]
fn the_version_of_the_api_is_the_newest_family() {
    let of = |metal3, metal4| api_of(Families { metal3, metal4, ..Families::default() }).major;
    assert_eq!([of(false, false), of(true, false), of(true, true)], [2, 3, 4]);
}

#[test]
fn simulators_and_guests_are_virtual() {
    let (mut facts, _) = phone();
    facts.is_simulator = true;
    assert_eq!(kind_of(&facts), DeviceKind::Virtual);
    facts.is_simulator = false;
    facts.name = "Apple Paravirtual device".into();
    assert_eq!(kind_of(&facts), DeviceKind::Virtual);
}

#[test]
fn a_device_by_an_unknown_maker_has_no_number() {
    let mut facts = phone().0;
    facts.name = "Something Else".into();
    let it = describe(&facts, &phone().1);
    assert_eq!((it.vendor, it.vendor_id), (Vendor::Other, 0));
}

#[test]
fn systems_before_the_floor_are_refused_by_name() {
    let old = |name, version| refusal_of(&System { name, version, build: None, memory_bytes: 0 });
    assert!(old("iOS", [13, 7, 0]).unwrap().contains("iOS 13.7"));
    assert!(old("macOS", [10, 15, 7]).unwrap().contains("macOS 11"));
    assert_eq!(old("iOS", [14, 0, 0]), None);
    assert_eq!(old("macOS", [11, 0, 0]), None);
}

#[test]
fn the_build_number_is_found_in_any_language() {
    let of = |text| build_of(text);
    assert_eq!(of("Version 15.1 (Build 24B83)").as_deref(), Some("24B83"));
    assert_eq!(of("バージョン14.2（ビルド23C64）").as_deref(), Some("23C64"));
    assert_eq!(of("Version 26.0 (Build 25A5279m)").as_deref(), Some("25A5279m"));
    assert_eq!(of("Version 15.1"), None);
    assert_eq!(of("A17 1B B1 12AB3 12A3bc"), None);
}
