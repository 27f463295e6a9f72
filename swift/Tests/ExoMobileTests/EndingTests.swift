import Foundation
import Testing

#if os(Linux) || os(macOS)
    @Suite("A program that ends with a node, a device and an answer open")
    struct EndingTests {
        /// Runs swift/Tests/EndsWithoutClosing, which SwiftPM builds beside the tests.
        private func run(_ way: String) throws -> Process {
            let program = try #require(
                [Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
                    .map { $0.appendingPathComponent("EndsWithoutClosing") }
                    .first { FileManager.default.isExecutableFile(atPath: $0.path) })
            let process = Process()
            let said = Pipe()
            process.executableURL = program
            process.arguments = [way]
            process.standardOutput = said
            process.standardError = FileHandle.nullDevice
            try process.run()
            let words = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(words.contains("open"))
            return process
        }

        @Test("ends with the exit code that it chose", arguments: [("exit", 7), ("exit elsewhere", 7), ("return", 0)])
        func chosen(way: String, code: Int32) throws {
            for _ in 0..<5 {
                let ended = try run(way)
                #expect(ended.terminationReason == .exit)
                #expect(ended.terminationStatus == code)
            }
        }
    }
#endif
