internal import ExoMobileCore
import Foundation

/// All devices that tell how they are.
public struct ClusterTelemetry: Sendable, Equatable {
    /// Whether a device is there.
    public enum Presence: String, Sendable, CaseIterable {
        /// It keeps its promises.
        case present
        /// It broke two promises in a row: what it told may be old.
        case stale
        /// It broke five: do not count on it.
        case lost
        /// It said goodbye.
        case left
    }

    /// One device that tells how it is.
    public struct Device: Sendable, Equatable, Identifiable {
        /// Its id, which is its node's.
        public let id: String
        /// What its owner calls it, once it said so.
        public let name: String?
        /// What computes in it, once it said so.
        public let type: DeviceType?
        /// Whether it is there.
        public let presence: Presence
        /// Floating-point operations a second, if it was measured.
        public let peakFlopsPerSecond: Double?
        /// Bytes a second between memory and what computes, if it was measured.
        public let memoryBytesPerSecond: Double?
        /// What it told.
        public let readings: Readings
        /// How long ago it was heard.
        public let silent: Duration

        init(_ device: ExoMobileCore.DeviceTelemetry) {
            id = device.deviceId
            name = device.name
            type = device.deviceType.map(DeviceType.init)
            presence = Presence(device.presence)
            peakFlopsPerSecond = device.peakFlopsPerS
            memoryBytesPerSecond = device.memoryBytesPerS
            readings = Readings(device.readings)
            silent = .milliseconds(Int64(clamping: device.silentMs))
        }
    }

    /// When.
    public let at: Date
    /// The devices, by their ids.
    public let devices: [Device]

    init(_ telemetry: ExoMobileCore.ClusterTelemetry) {
        at = Date(milliseconds: telemetry.atMs)
        devices = telemetry.devices.map(Device.init)
    }
}
