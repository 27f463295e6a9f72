import ExoMobile
import Foundation

/// Hugging Face with the tiny model, and no network.
final class FakeHub: Fetcher, @unchecked Sendable {
    private let files: [String: Data]
    private let list: Data
    /// Whether a request that was given half of the weights waits until it is cancelled.
    private let holds: Bool
    private let changed = NSCondition()
    /// Under `changed`.
    private var cancelled: Set<UInt64> = []

    init(holds: Bool = false) throws {
        let folder = URL.tinyModels.appendingPathComponent("exo-mobile--tiny-random")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        files = try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
        list = try Self.list(of: names.map { folder.appendingPathComponent($0) })
        self.holds = holds
    }

    func get(_ request: FetchRequest, into receiver: FetchReceiver) throws {
        let name = request.url.components(separatedBy: "/").last ?? ""
        let isList = request.url.contains("/api/models/\(tiny)/tree/")
        guard let whole = isList ? list : files[name], request.url.contains(tiny) else {
            _ = try receiver.head(status: 404, url: request.url, headers: [:])
            return
        }
        let range = request.headers.first { $0.key.lowercased() == "range" }?.value
        let start = range.flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
        var headers = ["Content-Length": "\(whole.count - start)"]
        if range != nil { headers["Content-Range"] = "bytes \(start)-\(whole.count - 1)/\(whole.count)" }
        guard try receiver.head(status: range == nil ? 200 : 206, url: request.url, headers: headers) else { return }
        let half = start + (whole.count - start) / 2
        guard try receiver.chunk(whole[start..<half]) else { return }
        if holds, whole.count > 100_000 { wait(request.id) }
        _ = try receiver.chunk(whole[half...])
    }

    func cancel(_ id: UInt64) {
        changed.withLock {
            cancelled.insert(id)
            changed.broadcast()
        }
    }

    private func wait(_ id: UInt64) {
        changed.withLock { while !cancelled.contains(id) { changed.wait() } }
    }

    /// The list as Hugging Face tells it, with what git calls each file.
    private static func list(of files: [URL]) throws -> Data {
        let (git, pipe) = (Process(), Pipe())
        git.executableURL = URL(fileURLWithPath: "/usr/bin/git")
        git.arguments = ["hash-object", "--no-filters"] + files.map(\.path)
        // Outside of any repository: its rules for files are not those of a server.
        git.currentDirectoryURL = URL(fileURLWithPath: "/")
        git.standardOutput = pipe
        try git.run()
        let hashes = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            .split(separator: "\n")
        git.waitUntilExit()
        let entries: [[String: Any]] = try zip(files, hashes).map { file, hash in
            let size = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int ?? 0
            return ["type": "file", "path": file.lastPathComponent, "size": size, "oid": String(hash)]
        }
        return try JSONSerialization.data(withJSONObject: entries)
    }
}
