/// All that is read of a device. What a probe leaves as it is says that it was not told.
public struct Readings: Sendable, Equatable {
    /// Readings that one look brings together.
    public enum Group: String, Sendable, CaseIterable {
        /// Memory of the system and of this app.
        case memory
        /// The GPU.
        case gpu
        /// The processor.
        case cpu
        /// What the device draws.
        case power
        /// Heat.
        case thermal
        /// The battery.
        case battery
        /// The network.
        case network
        /// The disk.
        case disk
    }

    /// Memory of the system and of this app, in bytes.
    public struct Memory: Sendable, Equatable {
        /// All that the device has.
        public var total: Reading<UInt64> = untold()
        /// What could be used now without swapping.
        public var available: Reading<UInt64> = untold()
        /// The most that this app may ever use.
        public var limit: Reading<UInt64> = untold()
        /// How hard the system looks for memory.
        public var pressure: Reading<Pressure> = untold()
    }

    /// The GPU.
    public struct Gpu: Sendable, Equatable {
        /// Bytes that it has to itself, or shares with the processor.
        public var memoryTotal: Reading<UInt64> = untold()
        /// Bytes of them in use.
        public var memoryUsed: Reading<UInt64> = untold()
        /// Bytes that the driver would let us hold.
        public var memoryBudget: Reading<UInt64> = untold()
        /// The part of the time in which it worked.
        public var utilisation: Reading<Double> = untold()
    }

    /// The processor.
    public struct Cpu: Sendable, Equatable {
        /// The part of the time in which its cores worked.
        public var utilisation: Reading<Double> = untold()
        /// Threads that want to run, averaged over a minute.
        public var load: Reading<Double> = untold()
    }

    /// Heat.
    public struct Thermal: Sendable, Equatable {
        /// Degrees Celsius of the hottest part that tells.
        public var temperature: Reading<Double> = untold()
        /// How the system calls it.
        public var status: Reading<ThermalStatus> = untold()
        /// Android's headroom: 0 is cool, 1 is where severe throttling begins.
        public var headroom: Reading<Double> = untold()
    }

    /// The battery.
    public struct Battery: Sendable, Equatable {
        /// 0 to 1.
        public var level: Reading<Double> = untold()
        /// Whether it is being charged, or the device runs from the mains.
        public var charging: Reading<Bool> = untold()
        /// Whether the owner asked the device to save power.
        public var powerSave: Reading<Bool> = untold()
    }

    /// The network that we would use.
    public struct Network: Sendable, Equatable {
        /// What carries it.
        public var kind: Reading<NetworkKind> = untold()
        /// Whether bytes cost money.
        public var metered: Reading<Bool> = untold()
    }

    /// The disk that holds models, in bytes.
    public struct Disk: Sendable, Equatable {
        /// All.
        public var total: Reading<UInt64> = untold()
        /// Free for us.
        public var available: Reading<UInt64> = untold()
    }

    /// Memory of the system and of this app.
    public var memory = Memory()
    /// The GPU.
    public var gpu = Gpu()
    /// The processor.
    public var cpu = Cpu()
    /// Watts that the whole device draws.
    public var power: Reading<Double> = untold()
    /// Heat.
    public var thermal = Thermal()
    /// The battery.
    public var battery = Battery()
    /// The network that we would use.
    public var network = Network()
    /// The disk that holds models.
    public var disk = Disk()

    /// Nothing told yet.
    public init() {}
}

private func untold<Value>() -> Reading<Value> { .unavailable(why: "the probe does not tell") }
