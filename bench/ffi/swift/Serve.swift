// P11b: 1 MiB to a device's buffer and back, beside memcpy; line by line, as bench/race/src/peer.rs has it.

import ExoMobile
import Foundation

let size = 1 << 20

/// Seconds that each of so many repetitions took.
func timed(_ times: Int, _ work: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    for _ in 0..<times { try work() }
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e9 / Double(times)
}

func say(_ line: String) {
    print(line)
    fflush(nil)
}

@main
struct Serve {
    static func main() async throws {
        // Where Swift lives in a room of its own there is no driver of Vulkan: the CPU's memory it is.
        let gpu = try await Gpu.open(Gpu.Options(backend: .cpu))
        let buffer = try gpu.allocate(bytes: size)
        let source = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 64)
        for place in 0..<size { source[place] = UInt8(truncatingIfNeeded: place ^ place >> 8 ^ place >> 16) }
        target.initializeMemory(as: UInt8.self, repeating: 0)
        let bytes = UnsafeRawBufferPointer(source)

        try buffer.write(bytes)
        try buffer.read(into: target)
        guard bytes.elementsEqual(target) else {
            say("error what came back is not what was sent")
            return
        }
        say("version Swift 6")
        for name in ["write.ours", "read.ours", "memcpy"] { say("variant \(name)") }
        say("ready")
        while let name = readLine() {
            let seconds =
                switch name {
                case "write.ours": try timed(64) { try buffer.write(bytes) }
                case "read.ours": try timed(64) { try buffer.read(into: target) }
                case "memcpy": timed(64) { memcpy(target.baseAddress!, source.baseAddress!, size) }
                default: Double.nan
                }
            say(seconds.isNaN ? "error there is no work called \(name)" : "\(seconds)")
        }
    }
}
