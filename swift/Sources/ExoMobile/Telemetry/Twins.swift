internal import ExoMobileCore

// Enums that the core has too. A case that one of the two lacks is an error of the compiler.

extension Pressure {
    init(_ core: ExoMobileCore.Pressure) {
        self =
            switch core {
            case .none: .normal
            case .some: .warning
            case .critical: .critical
            }
    }

    var core: ExoMobileCore.Pressure {
        switch self {
        case .normal: .none
        case .warning: .some
        case .critical: .critical
        }
    }
}

extension ThermalStatus {
    init(_ core: ExoMobileCore.ThermalStatus) {
        self =
            switch core {
            case .none: .nominal
            case .light: .light
            case .moderate: .moderate
            case .severe: .severe
            case .critical: .critical
            case .emergency: .emergency
            case .shutdown: .shutdown
            }
    }

    var core: ExoMobileCore.ThermalStatus {
        switch self {
        case .nominal: .none
        case .light: .light
        case .moderate: .moderate
        case .severe: .severe
        case .critical: .critical
        case .emergency: .emergency
        case .shutdown: .shutdown
        }
    }
}

extension NetworkKind {
    init(_ core: ExoMobileCore.NetworkKind) {
        self =
            switch core {
            case .wifi: .wifi
            case .ethernet: .ethernet
            case .cellular: .cellular
            case .other: .other
            case .none: .disconnected
            }
    }

    var core: ExoMobileCore.NetworkKind {
        switch self {
        case .wifi: .wifi
        case .ethernet: .ethernet
        case .cellular: .cellular
        case .other: .other
        case .disconnected: .none
        }
    }
}

extension Source {
    init(_ core: ExoMobileCore.Source) {
        self =
            switch core {
            case .measured: .measured
            case .estimated: .estimated
            case .unavailable: .unavailable
            }
    }

    var core: ExoMobileCore.Source {
        switch self {
        case .measured: .measured
        case .estimated: .estimated
        case .unavailable: .unavailable
        }
    }
}

extension Readings.Group {
    init(_ core: ExoMobileCore.Group) {
        self =
            switch core {
            case .memory: .memory
            case .gpu: .gpu
            case .cpu: .cpu
            case .power: .power
            case .thermal: .thermal
            case .battery: .battery
            case .network: .network
            case .disk: .disk
            }
    }

    var core: ExoMobileCore.Group {
        switch self {
        case .memory: .memory
        case .gpu: .gpu
        case .cpu: .cpu
        case .power: .power
        case .thermal: .thermal
        case .battery: .battery
        case .network: .network
        case .disk: .disk
        }
    }
}

extension Allowance.Rule {
    init(_ core: ExoMobileCore.Rule) {
        self =
            switch core {
            case .onlyWhileCharging: .onlyWhileCharging
            case .minBattery: .minBattery
            case .maxTemperature: .maxTemperature
            case .maxThermalStatus: .maxThermalStatus
            case .wifiOnly: .wifiOnly
            case .memoryCap: .memoryCap
            case .quietHours: .quietHours
            case .foregroundOnly: .foregroundOnly
            }
    }
}

extension Allowance.Verdict {
    init(_ core: ExoMobileCore.RuleVerdict) {
        self =
            switch core {
            case .limited: .limited
            case .denied: .denied
            case .unknown: .unknown
            }
    }
}

extension Condition.Work {
    init(_ core: ExoMobileCore.WorkState) {
        self =
            switch core {
            case .working: .working
            case .draining: .draining
            case .stopped: .stopped
            }
    }
}

extension Heat.Level {
    init(_ core: ExoMobileCore.Level) {
        self =
            switch core {
            case .paused: .paused
            case .low: .low
            case .half: .half
            case .reduced: .reduced
            case .eased: .eased
            case .full: .full
            }
    }
}

extension Heat.Unit {
    init(_ core: ExoMobileCore.HeatUnit) {
        self =
            switch core {
            case .celsius: .celsius
            case .headroom: .headroom
            case .levels: .levels
            }
    }
}

extension Plan.Objective {
    var core: ExoMobileCore.Objective {
        switch self {
        case .latency: .latency
        case .throughput: .throughput
        }
    }
}

extension Plan.Status {
    init(_ core: ExoMobileCore.Status) {
        self =
            switch core {
            case .optimal: .optimal
            case .feasible: .feasible
            case .infeasible: .infeasible
            }
    }
}

extension Plan.Binding {
    init(_ core: ExoMobileCore.Binding) {
        self =
            switch core {
            case .notAllowed: .notAllowed
            case .tooHot: .tooHot
            case .noSpeed: .noSpeed
            case .memory: .memory
            case .links: .links
            case .speed: .speed
            case .maxDevices: .maxDevices
            case .nothing: .nothing
            }
    }
}

extension Score.Formula {
    var core: ExoMobileCore.Formula {
        switch self {
        case .quick: .quick
        case .composite: .composite
        }
    }
}

extension Score.Part {
    init(_ core: ExoMobileCore.Part) {
        self =
            switch core {
            case .memory: .memory
            case .compute: .compute
            case .networkPosition: .networkPosition
            case .thermalHeadroom: .thermalHeadroom
            case .bandwidth: .bandwidth
            case .heat: .heat
            }
    }
}

extension Topology.LinkKind {
    init(_ core: ExoMobileCore.LinkKind) {
        self =
            switch core {
            case .wifi: .wifi
            case .ethernet: .ethernet
            case .thunderbolt: .thunderbolt
            case .usb: .usb
            case .loopback: .loopback
            case .unknown: .unknown
            }
    }
}

extension ClusterTelemetry.Presence {
    init(_ core: ExoMobileCore.Presence) {
        self =
            switch core {
            case .present: .present
            case .stale: .stale
            case .lost: .lost
            case .left: .left
            }
    }
}

extension DeviceType {
    init(_ core: ExoMobileCore.DeviceType) {
        self =
            switch core {
            case .mobileAndroid: .mobileAndroid
            case .mobileIos: .mobileIos
            case .appleSilicon: .appleSilicon
            case .nvidia: .nvidia
            case .amd: .amd
            case .intel: .intel
            case .otherGpu: .otherGpu
            case .cpu: .cpu
            }
    }

    var core: ExoMobileCore.DeviceType {
        switch self {
        case .mobileAndroid: .mobileAndroid
        case .mobileIos: .mobileIos
        case .appleSilicon: .appleSilicon
        case .nvidia: .nvidia
        case .amd: .amd
        case .intel: .intel
        case .otherGpu: .otherGpu
        case .cpu: .cpu
        }
    }
}
