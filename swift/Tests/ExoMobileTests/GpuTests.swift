import ExoMobile
import Foundation
import Testing

@Suite("A GPU")
struct GpuTests {
    @Test("on the CPU tells what it is")
    func device() async throws {
        let gpu = try await Gpu.open(.cpu)
        let device = try gpu.device
        #expect(device.backend == .cpu)
        #expect(device.memoryBytes > 0)
        #expect(try gpu.devices.contains(device))
    }

    @Test("that is not there says so, with the reason")
    func missing() async throws {
        let error = try await error { try await Gpu.open(Gpu.Options(backend: .cpu, device: "no such device")) }
        #expect(error.kind == .noDevice)
    }

    @Test("counts the memory of its buffers")
    func memory() async throws {
        let gpu = try await Gpu.open(.cpu)
        let before = try gpu.memory.used
        let buffer = try gpu.allocate(bytes: 1 << 20)
        #expect(try gpu.memory.used >= before + 1 << 20)
        buffer.free()
        #expect(try gpu.memory.used == before)
        #expect(try gpu.memory.peak >= before + 1 << 20)
    }

    @Test("gives no more memory than its cap")
    func cap() async throws {
        let gpu = try await Gpu.open(Gpu.Options(backend: .cpu, memoryCap: 1 << 20))
        let error = try await error { try gpu.allocate(bytes: 1 << 24) }
        #expect(error.kind == .outOfMemory)
    }

    @Test("gives no buffer of a negative size")
    func negative() async throws {
        let gpu = try await Gpu.open(.cpu)
        #expect(try await error { try gpu.allocate(bytes: -1) }.kind == .invalidArgument)
    }

    @Test("that was closed says so, and closes again without complaint")
    func closed() async throws {
        let gpu = try await Gpu.open(.cpu)
        gpu.close()
        gpu.close()
        #expect(try await error { try gpu.device }.kind == .closed)
        #expect(try await error { try await gpu.calibrate() }.kind == .closed)
        #expect(try await error { try gpu.allocate(bytes: 4) }.reason.contains("open a new one"))
    }

    @Test("and its buffers may be closed and dropped in every order")
    func orders() async throws {
        for order in 0..<6 {
            let gpu = try await Gpu.open(.cpu)
            let (one, two) = (try gpu.allocate(bytes: 64), try gpu.allocate(bytes: 64))
            var ends: [() -> Void] = [gpu.close, one.free, two.free]
            ends.swapAt(0, order % 3)
            if order >= 3 { ends.swapAt(1, 2) }
            for end in ends + ends { end() }
            #expect(try await error { try one.read(Float.self, count: 1) }.kind == .closed)
            #expect(try await error { try two.write([Float(1)]) }.kind == .closed)
        }
    }

    @Test("computes what its kernels promise, and says how far it is")
    func selfTest() async throws {
        let gpu = try await Gpu.open(.cpu)
        let heard = Locked<[Gpu.SelfTestProgress]>([])
        let reports = try await gpu.selfTest { progress in heard.with { $0.append(progress) } }
        #expect(!reports.isEmpty)
        #expect(reports.allSatisfy { $0.verdict == .trusted })
        #expect(heard.now.last.map { $0.done <= $0.total } == true)
    }

    @Test("measures how fast it is")
    func calibrates() async throws {
        let gpu = try await Gpu.open(.cpu)
        let calibration = try await gpu.calibrate()
        #expect(try #require(calibration.compute.perSecond) > 0)
        #expect(calibration.elapsed > .zero)
        try await gpu.synchronise()
    }
}

extension Gpu.Options {
    static let cpu = Gpu.Options(backend: .cpu)
}
