//! What the GPU of this computer can do, in telemetry's words.

use exo_gpu::{Error, Gpu, OpenOptions};
use exo_telemetry::protocol::DeviceCapabilities;

pub(crate) use exo_node::capabilities::{capabilities, device_type, vendor};

/// Opens the device that an app would get, measures it for a third of a second, and closes it.
pub(crate) fn measured() -> Result<DeviceCapabilities, Error> {
    let gpu = Gpu::open(OpenOptions::new())?;
    let measured = exo_node::capabilities::measured(gpu.device());
    gpu.device().close();
    measured
}

#[cfg(test)]
mod tests {
    use exo_gpu::{BackendKind, Calibration, DeviceDescription, DeviceKind, MemoryReport, Speed, Vendor};
    use exo_telemetry::{
        Reading, Timestamp,
        probe::Identity,
        protocol::{Body, DeviceId, DeviceRegistration, DeviceType, Message, VERSION},
    };

    use super::*;
    use crate::doctor::sample;

    const NOW: Timestamp = Timestamp(1_767_225_600_000);

    fn told(calibration: &Calibration) -> DeviceCapabilities {
        capabilities(&sample::device(), &sample::memory(), calibration, NOW)
    }

    #[test]
    fn what_was_measured_is_measured_at_its_time() {
        let told = told(&sample::calibration());
        assert_eq!(told.peak_flops_per_s.reading, Reading::measured(1.15e12, NOW));
        assert_eq!(told.memory_bytes_per_s.reading, Reading::measured(4.2e10, NOW));
        assert_eq!(told.memory_bytes.reading, Reading::measured(3 << 30, NOW));
    }

    #[test]
    fn what_could_not_be_measured_keeps_its_reason_and_is_never_zero() {
        let calibration =
            Calibration { compute: Speed::Unavailable { why: "too hot".into() }, ..sample::calibration() };
        let told = told(&calibration);
        assert_eq!(told.peak_flops_per_s.reading, Reading::unavailable("too hot", NOW));
        assert_eq!(told.compute_units.reading, Reading::unavailable("the driver does not say", NOW));
    }

    #[test]
    fn without_a_budget_the_memory_is_an_estimate_and_without_a_size_it_is_unavailable() {
        let memory = MemoryReport { budget: None, ..sample::memory() };
        let mut device = sample::device();
        let of = |device: &DeviceDescription| {
            capabilities(device, &memory, &sample::calibration(), NOW).memory_bytes.reading
        };
        assert!(matches!(of(&device), Reading::Estimated { value, .. } if value == 7 << 30));
        device.heaps.clear();
        assert_eq!(of(&device).get(), None);
    }

    #[test]
    fn features_precisions_and_backends_are_those_that_the_device_has() {
        let told = told(&sample::calibration());
        assert_eq!(told.features, ["subgroups", "unified_memory"]);
        assert_eq!(told.precisions, ["f32", "i8"]);
        assert_eq!(told.backends, ["vulkan", "cpu"]);
        let on_the_cpu = DeviceDescription { backend: BackendKind::Cpu, ..sample::device() };
        let told = capabilities(&on_the_cpu, &sample::memory(), &sample::calibration(), NOW);
        assert_eq!(told.backends, ["cpu"]);
    }

    #[test]
    fn a_phone_is_a_phone_whatever_computes_and_software_is_a_processor() {
        let mut device = sample::device();
        assert_eq!(device_type(&device, "android"), DeviceType::MobileAndroid);
        assert_eq!(device_type(&device, "linux"), DeviceType::OtherGpu);
        device.vendor = Vendor::Nvidia;
        assert_eq!(device_type(&device, "linux"), DeviceType::Nvidia);
        device.vendor = Vendor::Apple;
        assert_eq!(device_type(&device, "macos"), DeviceType::AppleSilicon);
        device.vendor = Vendor::Mesa;
        device.kind = DeviceKind::Software;
        assert_eq!(device_type(&device, "linux"), DeviceType::Cpu);
    }

    #[test]
    fn a_registration_with_them_is_read_as_it_was_said() {
        let identity = Identity {
            name: "Ada's Pixel".into(),
            model: "Pixel 9".into(),
            chip: "Tensor G4".into(),
            os_version: "Android 16".into(),
            os_build: "1".into(),
            vendor: vendor(Vendor::Arm).into(),
            device_type: DeviceType::MobileAndroid,
        };
        let id = DeviceId::new("pixel-9").unwrap();
        let told = DeviceRegistration::new(id, NOW, &identity, told(&sample::calibration()));
        let body = Body::Registration(Box::new(told));
        let message = Message { protocol: VERSION, run: 1, sequence: 0, body };
        assert_eq!(Message::parse(message.to_json().unwrap().as_bytes()).unwrap(), message);
    }
}
