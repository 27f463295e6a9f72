import ExoMobile
import Foundation
import Testing

@Suite("A buffer")
struct GpuBufferTests {
    @Test("gives back the numbers that were written, of every width")
    func numbers() async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 4096)
        #expect(try buffer.size == 4096)
        let floats = (0..<1024).map { Float($0) / 3 }
        try buffer.write(floats)
        #expect(try buffer.read(Float.self, count: 1024) == floats)
        try buffer.write([UInt8](0...255), at: 100)
        #expect(try buffer.read(UInt8.self, count: 256, at: 100) == [UInt8](0...255))
        try buffer.write([Int64.min, -1, .max], at: 8)
        #expect(try buffer.read(Int64.self, count: 3, at: 8) == [.min, -1, .max])
        #expect(try buffer.read(Float.self, count: 2) == [0, Float(1) / 3])
    }

    @Test("takes and gives Data, and raw memory")
    func data() async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 1 << 20)
        let data = Data((0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        try buffer.write(data)
        #expect(try buffer.readData(count: 1 << 20) == data)
        // A slice begins elsewhere, and its bytes are still its own.
        try buffer.write(data[1000..<2000], at: 5)
        #expect(try buffer.readData(count: 1000, at: 5) == data[1000..<2000])
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 1)
        defer { room.deallocate() }
        room.initializeMemory(as: UInt8.self, repeating: 0)
        try buffer.read(into: room, at: 5)
        #expect(Array(room) == Array(data[1000..<1016]))
    }

    @Test("takes nothing without complaint")
    func nothing() async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 16)
        try buffer.write(Data())
        try buffer.write([Float](), at: 16)
        #expect(try buffer.read(Float.self, count: 0, at: 16) == [])
        #expect(try buffer.readData(count: 0) == Data())
    }

    @Test(
        "refuses what lies outside of it",
        arguments: [(17, 0), (1, 16), (16, 1), (1, -1), (-1, 0), (1, .max), (.max, .max), (0, 17)])
    func outside(count: Int, offset: Int) async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 16)
        let read = try await error { try buffer.readData(count: count, at: offset) }
        #expect(read.kind == .invalidArgument)
        #expect(read.reason.contains("16"))
        if 0...17 ~= count {
            let written = try await error { try buffer.write(Data(count: count), at: offset) }
            #expect(written.kind == .invalidArgument)
        }
    }

    @Test("refuses more numbers than memory has bytes")
    func overflow() async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 16)
        #expect(try await error { try buffer.read(Double.self, count: .max) }.kind == .invalidArgument)
    }

    @Test("that was freed says so, and frees again without complaint")
    func freed() async throws {
        let buffer = try await Gpu.open(.cpu).allocate(bytes: 16)
        buffer.free()
        buffer.free()
        #expect(try await error { try buffer.write([1.0]) }.kind == .closed)
        #expect(try await error { try buffer.readData(count: 1) }.kind == .closed)
    }

    @Test("dies with its GPU, and says so")
    func orphaned() async throws {
        let gpu = try await Gpu.open(.cpu)
        let buffer = try gpu.allocate(bytes: 16)
        gpu.close()
        #expect(try await error { try buffer.write([1.0]) }.kind == .closed)
    }

    @Test("is copied to another, also of another device")
    func copies() async throws {
        let (here, there) = (try await Gpu.open(.cpu), try await Gpu.open(.cpu))
        let (from, to) = (try here.allocate(bytes: 64), try there.allocate(bytes: 128))
        try from.write((0..<16).map { Int32($0) })
        try from.copy(to: to)
        #expect(try to.read(Int32.self, count: 16) == (0..<16).map { Int32($0) })
        #expect(try await error { try to.copy(to: from) }.kind == .invalidArgument)
    }

    @Test("serves many threads at once, and closing under them is an error and no crash")
    func threads() async throws {
        let gpu = try await Gpu.open(.cpu)
        let shared = try gpu.allocate(bytes: 4096)
        let kinds = Locked<Set<ExoError.Kind>>([])
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<8 {
                group.addTask {
                    for turn in 0..<200 {
                        do {
                            let own = try gpu.allocate(bytes: 1024)
                            let numbers = [Int](repeating: worker * 1000 + turn, count: 128)
                            try own.write(numbers)
                            try shared.write(numbers)
                            #expect(try own.read(Int.self, count: 128) == numbers)
                            own.free()
                        } catch {
                            kinds.with { _ = $0.insert((error as? ExoError)?.kind ?? .fault) }
                        }
                        if worker == 0, turn == 150 { gpu.close() }
                    }
                }
            }
        }
        #expect(kinds.now == [.closed])
    }
}
