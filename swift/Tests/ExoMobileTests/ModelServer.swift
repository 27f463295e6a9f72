import ExoMobile
import Foundation

#if canImport(Glibc)
    import Glibc
    private let (stream, quietly) = (Int32(SOCK_STREAM.rawValue), Int32(MSG_NOSIGNAL))
#else
    import Darwin
    private let (stream, quietly) = (SOCK_STREAM, Int32(0))
#endif

/// A server with Hugging Face's addresses on loopback, which has the tiny model.
final class ModelServer: Sendable {
    /// What it does besides giving files.
    struct Habits: Sendable {
        /// How many answers it cuts in the middle, before it brings them whole.
        var cuts = 0
        /// How many requests it never answers.
        var silences = 0
        /// Whether it stops in the middle of the weights until the other side hangs up.
        var holds = false
        /// Where it sends those who want a file, instead of giving it.
        var sendsTo: String?
        /// What it says to everybody.
        var status: Int?
        /// How many bytes it gives to everybody, whatever they want; until they take no more for a second.
        var floods: Int?
    }

    struct Refused: Error { let code: Int32 }

    /// What it saw.
    struct Seen: Sendable {
        /// The tokens that came with requests.
        var tokens: [String] = []
        /// Bytes that were asked for from some place on.
        var ranges: [String] = []
        /// How many bytes it could send.
        var sent = 0
        /// Connections that are open.
        fileprivate var open: Set<Int32> = []
    }

    let base: String
    let seen = Locked(Seen())
    /// Of each answer that was not taken whole.
    let hangUps = AsyncStream<Void>.makeStream()
    /// Of each flood that came to a stop or to its end.
    let floods = AsyncStream<Void>.makeStream()

    private let listener: Int32
    private let habits: Locked<Habits>
    private let files: [String: Data]
    private let list: Data

    init(_ habits: Habits = Habits()) throws {
        self.habits = Locked(habits)
        let folder = URL(fileURLWithPath: ModelHost.Options.tiny.directory + "/exo-mobile--tiny-random")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        files = try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: folder.appendingPathComponent($0))) })
        list = try Self.list(of: names.map { folder.appendingPathComponent($0) })
        (listener, base) = try Self.listen()
        Thread.detachNewThread { [self] in accepting() }
    }

    func close() {
        shutdown(listener, Int32(SHUT_RDWR))
        #if !canImport(Glibc)
            // Where a listener cannot be shut down.
            _ = Darwin.close(listener)
        #endif
        for connection in seen.now.open { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    // MARK: Sockets

    private static func listen() throws -> (Int32, String) {
        let listener = socket(AF_INET, stream, 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) | getsockname(listener, address, &length)
            }
        }
        #if canImport(Glibc)
            let listening = Glibc.listen(listener, 16)
        #else
            let listening = Darwin.listen(listener, 16)
        #endif
        guard listener >= 0, code == 0, listening == 0 else { throw Refused(code: errno) }
        return (listener, "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))")
    }

    private func accepting() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            #if !canImport(Glibc)
                var yes: Int32 = 1
                setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            #endif
            seen.with { _ = $0.open.insert(connection) }
            Thread.detachNewThread { [self] in
                answer(connection)
                seen.with { _ = $0.open.remove(connection) }
                hangUp(connection)
            }
        }
        #if canImport(Glibc)
            hangUp(listener)
        #endif
    }

    private func hangUp(_ socket: Int32) {
        #if canImport(Glibc)
            _ = Glibc.close(socket)
        #else
            _ = Darwin.close(socket)
        #endif
    }

    /// Whether the other side took all of it.
    @discardableResult
    private func send(_ data: Data, to connection: Int32) -> Bool {
        var rest = data[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Self.write($0, to: connection) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to connection: Int32) -> Int {
        #if canImport(Glibc)
            Glibc.send(connection, bytes.baseAddress, bytes.count, quietly)
        #else
            Darwin.send(connection, bytes.baseAddress, bytes.count, quietly)
        #endif
    }

    private func receive(_ connection: Int32) -> Data? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(connection, &bytes, bytes.count, 0)
        return count > 0 ? Data(bytes.prefix(count)) : nil
    }

    /// Until the other side has nothing more to say, which is when it hangs up.
    private func hold(_ connection: Int32) {
        while receive(connection) != nil {}
        hangUps.continuation.yield()
    }

    // MARK: HTTP

    private func answer(_ connection: Int32) {
        var request = Data()
        while request.range(of: Data("\r\n\r\n".utf8)) == nil {
            guard let more = receive(connection) else { return }
            request += more
        }
        let lines = String(decoding: request, as: UTF8.self).components(separatedBy: "\r\n")
        let path = lines[0].split(separator: " ").dropFirst().first.map(String.init) ?? ""
        func header(_ name: String) -> String? {
            lines.first { $0.lowercased().hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
        }
        if let token = header("authorization") { seen.with { $0.tokens.append(token) } }
        if let range = header("range") { seen.with { $0.ranges.append(range) } }
        let isSilent = habits.with { habits in
            habits.silences -= 1
            return habits.silences >= 0
        }
        if isSilent { return hold(connection) }
        answer(path, from: header("range"), to: connection)
    }

    private func answer(_ path: String, from range: String?, to connection: Int32) {
        let (habits, name) = (habits.now, path.components(separatedBy: "/").last ?? "")
        if let status = habits.status {
            say(status, ["WWW-Authenticate: Bearer realm=\"models\"", "Content-Length: 0"], to: connection)
        } else if let floods = habits.floods {
            flood(floods, to: connection)
        } else if path.hasPrefix("/api/models/\(tiny)/tree/") {
            give(list, from: nil, to: connection)
        } else if let file = files[name], path.hasPrefix("/\(tiny)/resolve/") {
            if let other = habits.sendsTo {
                say(302, ["Location: \(other)\(path)", "Content-Length: 0"], to: connection)
            } else {
                give(file, from: range, to: connection)
            }
        } else {
            say(404, ["Content-Length: 0"], to: connection)
        }
    }

    private func say(_ status: Int, _ headers: [String], to connection: Int32) {
        let lines = ["HTTP/1.1 \(status) x", "Connection: close"] + headers
        send(Data((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8), to: connection)
    }

    private func give(_ whole: Data, from range: String?, to connection: Int32) {
        let start = range.flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) } ?? 0
        var headers = ["Content-Length: \(whole.count - start)"]
        if range != nil { headers.append("Content-Range: bytes \(start)-\(whole.count - 1)/\(whole.count)") }
        say(range == nil ? 200 : 206, headers, to: connection)
        let (rest, isWeights) = (whole.dropFirst(start), whole.count > 100_000)
        let isCut = habits.with { habits in
            if isWeights { habits.cuts -= 1 }
            return isWeights && habits.cuts >= 0
        }
        let holds = isWeights && habits.now.holds
        send(isCut || holds ? rest.prefix(rest.count / 2) : rest, to: connection)
        if holds { hold(connection) }
    }

    private func flood(_ count: Int, to connection: Int32) {
        say(200, ["Content-Length: \(count)"], to: connection)
        let piece = [UInt8](repeating: 7, count: 65536)
        var isTaken = true
        while isTaken, seen.now.sent < count {
            var ready = pollfd(fd: connection, events: Int16(POLLOUT), revents: 0)
            isTaken = poll(&ready, 1, 1000) > 0
            if isTaken {
                let sent = piece.withUnsafeBytes {
                    Self.write(.init(rebasing: $0.prefix(min(count - seen.now.sent, $0.count))), to: connection)
                }
                guard sent > 0 else { break }
                seen.with { $0.sent += sent }
            }
        }
        floods.continuation.yield()
        hold(connection)
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
