internal import ExoMobileCore

/// How the platform looks at the device. Only true values: what cannot be had is told as unavailable, with the reason.
///
/// Called on a thread of its own, never twice at once. One that hangs is not waited for.
public protocol Probe: Sendable {
    /// Who the device is. Asked once.
    func identity() throws -> DeviceIdentity

    /// One look at the groups that are wanted. More may be told, less is unavailable.
    func read(_ wanted: Set<Readings.Group>) throws -> Readings
}

/// Who a device is, in words for people.
public struct DeviceIdentity: Sendable, Equatable {
    /// What its owner calls it: "Ada's iPhone".
    public var name: String
    /// What its maker calls it: "iPhone17,1".
    public var model: String
    /// "A18 Pro".
    public var chip: String
    /// "iOS 18.2". Never a leading digit: exo takes that for macOS.
    public var osVersion: String
    /// "22C152".
    public var osBuild: String
    /// Who made what computes in it: "Apple".
    public var vendor: String
    /// What computes in it.
    public var type: DeviceType

    /// A device.
    public init(
        name: String, model: String, chip: String, osVersion: String, osBuild: String, vendor: String, type: DeviceType
    ) {
        self.name = name
        self.model = model
        self.chip = chip
        self.osVersion = osVersion
        self.osBuild = osBuild
        self.vendor = vendor
        self.type = type
    }
}

/// What computes in a device.
public enum DeviceType: String, Sendable, CaseIterable {
    /// An Android phone or tablet.
    case mobileAndroid
    /// An iPhone or iPad.
    case mobileIos
    /// A Mac with a chip of Apple's own.
    case appleSilicon
    /// A GPU of NVIDIA.
    case nvidia
    /// A GPU of AMD.
    case amd
    /// A GPU of Intel.
    case intel
    /// Another GPU.
    case otherGpu
    /// No GPU: the processor.
    case cpu
}

/// The app's probe as the core asks it.
final class AskedProbe: ExoMobileCore.Probe {
    private let probe: any Probe

    init(_ probe: any Probe) {
        self.probe = probe
    }

    func identity() throws -> ExoMobileCore.Identity {
        let told = try answering { try probe.identity() }
        return ExoMobileCore.Identity(
            name: told.name,
            model: told.model,
            chip: told.chip,
            osVersion: told.osVersion,
            osBuild: told.osBuild,
            vendor: told.vendor,
            deviceType: told.type.core
        )
    }

    func read(wanted: [ExoMobileCore.Group]) throws -> [ExoMobileCore.Sample] {
        let groups = Set(wanted.map(Readings.Group.init))
        return try answering { try probe.read(groups) }.samples(groups)
    }
}
