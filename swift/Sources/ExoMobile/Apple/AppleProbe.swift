#if canImport(os)
    import Foundation
    import os

    #if canImport(Network)
        import Network
    #endif
    #if canImport(UIKit)
        import UIKit
    #endif

    /// How an Apple device is: heat, memory, battery, network and disk, as far as the system tells an app.
    ///
    /// iOS tells no temperature, no power and no load; these stay unavailable.
    public final class AppleProbe: Probe {
        private let battery = BatteryWatch()
        private let network = NetworkWatch()
        private let name: String?

        /// `name` is what people see in exo's dashboard. Since iOS 16 the system tells an app no more than "iPhone".
        public init(name: String? = nil) {
            self.name = name
        }

        /// Who the device is.
        public func identity() throws -> DeviceIdentity {
            let system = ProcessInfo.processInfo.operatingSystemVersion
            let version = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
            #if os(macOS)
                let (family, type, model) = ("macOS", DeviceType.appleSilicon, Self.systemName("hw.model"))
            #else
                let (family, type, model) = ("iOS", DeviceType.mobileIos, Self.systemName("hw.machine"))
            #endif
            return DeviceIdentity(
                name: name ?? model,
                model: model,
                chip: Self.systemName("machdep.cpu.brand_string"),
                osVersion: "\(family) \(version)",
                osBuild: Self.systemName("kern.osversion"),
                vendor: "Apple",
                type: type
            )
        }

        /// One look at the groups that are wanted.
        public func read(_ wanted: Set<Readings.Group>) throws -> Readings {
            var readings = Readings()
            if wanted.contains(.memory) { readings.memory = Self.memory() }
            if wanted.contains(.thermal) { readings.thermal = Self.thermal() }
            if wanted.contains(.battery) { readings.battery = battery.readings() }
            if wanted.contains(.network) { readings.network = network.readings() }
            if wanted.contains(.disk) { readings.disk = Self.disk() }
            return readings
        }

        private static func memory() -> Readings.Memory {
            var memory = Readings.Memory()
            memory.total = .measured(ProcessInfo.processInfo.physicalMemory)
            #if os(macOS) || targetEnvironment(macCatalyst)
                memory.available = .unavailable(why: "macOS sets no limit for an app")
            #else
                memory.available = .measured(UInt64(os_proc_available_memory()))
            #endif
            return memory
        }

        private static func thermal() -> Readings.Thermal {
            var thermal = Readings.Thermal()
            thermal.temperature = .unavailable(why: "the system tells an app its thermal state, and no temperature")
            thermal.status =
                switch ProcessInfo.processInfo.thermalState {
                case .nominal: .measured(.nominal)
                case .fair: .measured(.light)
                case .serious: .measured(.severe)
                case .critical: .measured(.critical)
                @unknown default: .unavailable(why: "a thermal state that this version does not know")
                }
            return thermal
        }

        private static func disk() -> Readings.Disk {
            var disk = Readings.Disk()
            do {
                let values = try URL(fileURLWithPath: NSHomeDirectory())
                    .resourceValues(forKeys: [.volumeTotalCapacityKey, .volumeAvailableCapacityForImportantUsageKey])
                if let total = values.volumeTotalCapacity { disk.total = .measured(UInt64(max(total, 0))) }
                if let free = values.volumeAvailableCapacityForImportantUsage {
                    disk.available = .measured(UInt64(max(free, 0)))
                }
            } catch {
                disk.total = .unavailable(why: error.localizedDescription)
                disk.available = .unavailable(why: error.localizedDescription)
            }
            return disk
        }

        /// What the kernel says under this name.
        private static func systemName(_ key: String) -> String {
            var size = 0
            guard sysctlbyname(key, nil, &size, nil, 0) == 0, size > 0 else { return "unknown" }
            var bytes = [UInt8](repeating: 0, count: size)
            guard sysctlbyname(key, &bytes, &size, nil, 0) == 0 else { return "unknown" }
            return String(decoding: bytes.prefix(size).prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The battery, as the main thread saw it last: only that thread may ask.
    private final class BatteryWatch: Sendable {
        private let seen = OSAllocatedUnfairLock(initialState: Readings.Battery())

        #if canImport(UIKit)
            private let observers = Observers()

            init() {
                let look: @Sendable () -> Void = { [weak self] in Task { @MainActor in self?.look() } }
                observers.add(UIDevice.batteryLevelDidChangeNotification, look)
                observers.add(UIDevice.batteryStateDidChangeNotification, look)
                look()
            }

            @MainActor private func look() {
                UIDevice.current.isBatteryMonitoringEnabled = true
                let (level, state) = (UIDevice.current.batteryLevel, UIDevice.current.batteryState)
                var battery = Readings.Battery()
                // A simulator has none and says -1.
                battery.level = level < 0 ? .unavailable(why: "the device tells no level") : .measured(Double(level))
                battery.charging =
                    switch state {
                    case .charging, .full: .measured(true)
                    case .unplugged: .measured(false)
                    default: .unavailable(why: "the device does not tell whether it charges")
                    }
                seen.withLock { [battery] in $0 = battery }
            }
        #endif

        func readings() -> Readings.Battery {
            var battery = seen.withLock { $0 }
            battery.powerSave = .measured(ProcessInfo.processInfo.isLowPowerModeEnabled)
            return battery
        }
    }

    /// The network, as the system told it last. A path monitor may be asked from any thread.
    private final class NetworkWatch: @unchecked Sendable {
        #if canImport(Network)
            private let monitor = NWPathMonitor()

            init() {
                monitor.start(queue: DispatchQueue(label: "exo-network"))
            }

            deinit {
                monitor.cancel()
            }

            func readings() -> Readings.Network {
                let path = monitor.currentPath
                var network = Readings.Network()
                network.metered = .measured(path.isExpensive)
                guard path.status == .satisfied else {
                    network.kind = .measured(.disconnected)
                    return network
                }
                let kinds: [(NWInterface.InterfaceType, NetworkKind)] = [
                    (.wifi, .wifi), (.wiredEthernet, .ethernet), (.cellular, .cellular),
                ]
                network.kind = .measured(kinds.first { path.usesInterfaceType($0.0) }?.1 ?? .other)
                return network
            }
        #else
            func readings() -> Readings.Network { Readings.Network() }
        #endif
    }
#endif
