internal import ExoMobileCore

/// An opened GPU, or the CPU in its place.
///
/// It lives until ``close()``, which ends its buffers too, or until the last reference to it and its buffers is gone.
/// All of it may be called from any thread.
public final class Gpu: Sendable {
    let core: ExoMobileCore.Gpu

    private init(core: ExoMobileCore.Gpu) {
        self.core = core
    }

    /// Who drives a device.
    public enum Backend: String, Sendable, CaseIterable {
        /// Vulkan: Android, Linux, Windows.
        case vulkan
        /// Apple's Metal.
        case metal
        /// The processor.
        case cpu
    }

    /// How to open a GPU. Everything may be left out.
    public struct Options: Sendable, Equatable {
        /// This backend, and no other in its place.
        public var backend: Backend?
        /// The device whose name has this in it.
        public var device: String?
        /// Where the verdicts on kernels are kept, so that the next start is quick; nowhere if left out.
        public var dataDirectory: String?
        /// Use at most this many bytes.
        public var memoryCap: UInt64?

        /// The best device there is, unless told otherwise.
        public init(
            backend: Backend? = nil, device: String? = nil, dataDirectory: String? = nil, memoryCap: UInt64? = nil
        ) {
            self.backend = backend
            self.device = device
            self.dataDirectory = dataDirectory
            self.memoryCap = memoryCap
        }

        var core: ExoMobileCore.GpuOptions {
            ExoMobileCore.GpuOptions(
                backend: backend?.core, device: device, dataDir: dataDirectory, memoryCap: memoryCap)
        }
    }

    /// Opens the best device: a GPU, else the CPU. Takes three seconds at most.
    public static func open(_ options: Options = Options()) async throws(ExoError) -> Gpu {
        let core = try await calling {
            try await ExoMobileCore.Gpu.open(options: options.core)
        }
        return Gpu(core: core)
    }

    /// The device that was opened.
    public var device: Device {
        get throws(ExoError) { Device(try calling { try core.device() }) }
    }

    /// All devices that were found.
    public var devices: [Device] {
        get throws(ExoError) { try calling { try core.devices() }.map(Device.init) }
    }

    /// Why each device that was passed over was.
    public var refusals: [Refusal] {
        get throws(ExoError) { try calling { try core.refusals() }.map(Refusal.init) }
    }

    /// How its memory stands.
    public var memory: Memory {
        get throws(ExoError) { Memory(try calling { try core.memory() }) }
    }

    /// Takes memory of the device.
    public func allocate(bytes: Int) throws(ExoError) -> GpuBuffer {
        let size = try unsigned(bytes, "the size of a buffer")
        return GpuBuffer(try calling { try core.allocate(bytes: size) }, of: self)
    }

    /// Gives back to the system what is kept for the next allocation.
    public func trim() throws(ExoError) {
        try calling { try core.trim() }
    }

    /// Tests every kernel against its known answers. Takes some seconds; `progress` hears of each, on a thread of the
    /// core's.
    public func selfTest(
        progress: (@Sendable (SelfTestProgress) -> Void)? = nil
    ) async throws(ExoError) -> [KernelReport] {
        let listener = progress.map(ProgressListener.init)
        return try await calling { [core] in try await core.selfTest(progress: listener) }.map(KernelReport.init)
    }

    /// Measures how fast the device computes and reads, in about a third of a second.
    public func calibrate() async throws(ExoError) -> Calibration {
        Calibration(try await calling { [core] in try await core.calibrate() })
    }

    /// Waits until all that was handed to the device is done.
    public func synchronise() async throws(ExoError) {
        try await calling { [core] in try await core.synchronise() }
    }

    /// Closes the device; a second time does nothing. Its buffers are gone with it.
    public func close() {
        try? core.shut()
    }
}

/// The core counts without a sign.
func unsigned(_ number: Int, _ what: String) throws(ExoError) -> UInt64 {
    guard let number = UInt64(exactly: number) else {
        throw ExoError(.invalidArgument, "\(what) is \(number); it must be 0 or more")
    }
    return number
}

extension Gpu.Backend {
    init(_ backend: ExoMobileCore.BackendKind) {
        self =
            switch backend {
            case .vulkan: .vulkan
            case .metal: .metal
            case .cpu: .cpu
            }
    }

    var core: ExoMobileCore.BackendKind {
        switch self {
        case .vulkan: .vulkan
        case .metal: .metal
        case .cpu: .cpu
        }
    }
}

private final class ProgressListener: ExoMobileCore.SelfTestListener {
    private let hear: @Sendable (Gpu.SelfTestProgress) -> Void

    init(hear: @escaping @Sendable (Gpu.SelfTestProgress) -> Void) {
        self.hear = hear
    }

    func progressed(progress: ExoMobileCore.SelfTestProgress) throws {
        hear(Gpu.SelfTestProgress(done: Int(progress.done), total: Int(progress.total), kernel: progress.kernel))
    }
}
