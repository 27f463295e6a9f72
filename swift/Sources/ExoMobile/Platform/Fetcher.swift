internal import ExoMobileCore
internal import ExoMobileFFI
import Foundation

/// The app's HTTP client, which fetches models. ``URLSessionFetcher`` is the system's own.
///
/// It follows redirects: at most ten, never from `https` to `http`, and with `Authorization` only to the origin that it was
/// meant for. It keeps no cache: models are large, and verified by the library.
public protocol Fetcher: Sendable {
    /// Fetches, and blocks until the body ended or the receiver wants no more. Called on threads of its own, several at once.
    ///
    /// Any status is an answer; what is thrown is what prevented one, or cut it short.
    func get(_ request: FetchRequest, into receiver: FetchReceiver) throws

    /// Nobody waits for this request any more: whatever it blocks on may be closed. Must not wait for it.
    func cancel(_ id: UInt64)
}

extension Fetcher {
    /// Nothing: the request ends when its receiver is next asked, or its server was silent for too long.
    public func cancel(_ id: UInt64) {}
}

/// One `GET`.
public struct FetchRequest: Sendable, Equatable, Identifiable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Which; the name for ``Fetcher/cancel(_:)``. Never used twice.
    public let id: UInt64
    /// Where.
    public let url: String
    /// What to send with it, beside what a client sends by itself. A token may be among them.
    public let headers: [String: String]

    /// Without the headers: a token may be among them.
    public var description: String { "GET \(url)" }
    /// The same.
    public var debugDescription: String { description }
}

/// Takes the answer of a server. Its calls block while there is no room: that is how a server is slowed down.
public final class FetchReceiver: Sendable {
    private let core: ExoMobileCore.FetchReceiver
    private let handle: UInt64

    init(_ core: ExoMobileCore.FetchReceiver) throws(ExoError) {
        self.core = core
        handle = try calling { try core.bytesHandle() }
    }

    /// How the answer begins: first, and once. `url` is where it came from in the end. Whether more is wanted.
    public func head(status: Int, url: String, headers: [String: String]) throws(ExoError) -> Bool {
        guard let status = UInt16(exactly: status) else {
            throw ExoError(.invalidArgument, "\(status) is no status of HTTP")
        }
        let headers = headers.map { ExoMobileCore.HttpHeader(name: $0.key, value: $0.value) }
        return try calling { try core.head(status: status, url: url, headers: headers) }
    }

    /// A piece of the body. Whether more is wanted; if not, close the connection and return.
    public func chunk(_ bytes: UnsafeRawBufferPointer) throws(ExoError) -> Bool {
        let unwanted: Int32 = -1
        return try told { why, room in
            // The bytes are the caller's for the time of the call; the core only reads them.
            exo_receiver_chunk(
                handle, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt64(bytes.count), why, room)
        } != unwanted
    }

    /// A piece of the body. Whether more is wanted; if not, close the connection and return.
    public func chunk(_ data: Data) throws(ExoError) -> Bool {
        // What the system brings is often in several places, and would be copied into one.
        for region in data.regions {
            guard try calling({ try region.withUnsafeBytes { try chunk($0) } }) else { return false }
        }
        return true
    }
}

/// The app's client as the core asks it.
final class AskedFetcher: ExoMobileCore.Fetcher {
    private let fetcher: any Fetcher

    init(_ fetcher: any Fetcher) {
        self.fetcher = fetcher
    }

    func get(request: ExoMobileCore.FetchRequest, into: ExoMobileCore.FetchReceiver) throws {
        let headers = Dictionary(request.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        try answering {
            try fetcher.get(
                FetchRequest(id: request.id, url: request.url, headers: headers), into: try FetchReceiver(into))
        }
    }

    func cancel(id: UInt64) throws {
        fetcher.cancel(id)
    }
}
