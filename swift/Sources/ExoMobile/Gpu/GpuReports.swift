internal import ExoMobileCore

extension Gpu {
    /// A device.
    public struct Device: Sendable, Equatable {
        /// Its own name.
        public let name: String
        /// Who drives it.
        public let backend: Backend
        /// Who made it.
        public let vendor: String
        /// How it sits in the machine: `integrated`, `discrete`, `virtual`, `software`, `host` or `other`.
        public let kind: String
        /// The driver and its version.
        public let driver: String
        /// The version of its interface.
        public let apiVersion: String
        /// Bytes of its memory.
        public let memoryBytes: UInt64
        /// What this process may use of them now, where the system says so.
        public let memoryBudget: UInt64?
        /// How many compute units it has, where the driver says so.
        public let computeUnits: Int?
        /// Who said so, or why nobody can.
        public let computeUnitsNote: String
        /// Whether device and host share memory.
        public let hasUnifiedMemory: Bool
        /// The largest buffer, in bytes.
        public let maxBufferBytes: UInt64
        /// What it can do beyond the floor: `f16`, `int8`, `dot_product` and so on.
        public let features: [String]

        init(_ device: ExoMobileCore.GpuDevice) {
            name = device.name
            backend = Backend(device.backend)
            vendor = device.vendor
            kind = device.kind
            driver = device.driver
            apiVersion = device.apiVersion
            memoryBytes = device.memoryBytes
            memoryBudget = device.memoryBudget
            computeUnits = device.computeUnits.map(Int.init)
            computeUnitsNote = device.computeUnitsNote
            hasUnifiedMemory = device.unifiedMemory
            maxBufferBytes = device.maxBufferBytes
            features = device.features
        }
    }

    /// A device's memory at one moment, in bytes.
    public struct Memory: Sendable, Equatable {
        /// In buffers.
        public let used: UInt64
        /// Taken from the system, in use or kept for the next allocation.
        public let reserved: UInt64
        /// The most that was ever in buffers at once.
        public let peak: UInt64
        /// What may be used in all, where that is known.
        public let budget: UInt64?

        init(_ memory: ExoMobileCore.GpuMemory) {
            used = memory.used
            reserved = memory.reserved
            peak = memory.peak
            budget = memory.budget
        }
    }

    /// Why a backend, or one of its devices, was not used.
    public struct Refusal: Sendable, Equatable {
        /// The backend.
        public let backend: Backend
        /// The device, where it came to that.
        public let device: String?
        /// The reason, for people.
        public let reason: String

        init(_ refusal: ExoMobileCore.Refusal) {
            backend = Backend(refusal.backend)
            device = refusal.device
            reason = refusal.reason
        }
    }

    /// What a self-test said of a kernel on this device.
    public enum Verdict: Sendable, Equatable {
        /// Its answers are right.
        case trusted
        /// It gave a wrong answer; the CPU computes in its place.
        case wrong(reason: String)
        /// It could not be run; the CPU computes in its place.
        case failed(reason: String)
    }

    /// The outcome of one kernel's self-test.
    public struct KernelReport: Sendable, Equatable {
        /// The kernel.
        public let kernel: String
        /// What was found.
        public let verdict: Verdict
        /// Largest error seen, as a part of the bound: 1 is the most that is trusted.
        public let worstError: Double
        /// How many cases were computed.
        public let cases: Int
        /// How long they took.
        public let elapsed: Duration

        init(_ report: ExoMobileCore.KernelReport) {
            kernel = report.kernel
            verdict =
                switch report.verdict {
                case .trusted: .trusted
                case .wrong(let reason): .wrong(reason: reason)
                case .failed(let reason): .failed(reason: reason)
                }
            worstError = report.worstError
            cases = Int(report.cases)
            elapsed = Duration(interval: report.elapsed)
        }
    }

    /// How far a self-test has come.
    public struct SelfTestProgress: Sendable, Equatable {
        /// Kernels that are done.
        public let done: Int
        /// Kernels in all.
        public let total: Int
        /// The one that comes next.
        public let kernel: String
    }

    /// How fast a device does one thing.
    public struct Speed: Sendable, Equatable {
        /// Operations or bytes a second; none if it could not be measured.
        public let perSecond: Double?
        /// What ran, or why it could not be measured.
        public let note: String

        init(_ speed: ExoMobileCore.Speed) {
            perSecond = speed.perSecond
            note = speed.note
        }
    }

    /// What a device can do, as our kernels see it.
    public struct Calibration: Sendable, Equatable {
        /// Floating-point operations a second.
        public let compute: Speed
        /// Bytes a second that kernels read from memory.
        public let memory: Speed
        /// Bytes a second of 4-bit weights, as for each token.
        public let decode: Speed
        /// How long all of it took.
        public let elapsed: Duration

        init(_ calibration: ExoMobileCore.Calibration) {
            compute = Speed(calibration.compute)
            memory = Speed(calibration.memory)
            decode = Speed(calibration.decode)
            elapsed = Duration(interval: calibration.elapsed)
        }
    }
}
