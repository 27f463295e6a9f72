import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches with the system's own client, which knows its proxy and its certificates.
///
/// It works while the app does: a download stops when iOS suspends the app, and the next one goes on where it was. Plain
/// `http` needs an exception in `Info.plist`, as everywhere in an app.
public final class URLSessionFetcher: Fetcher, @unchecked Sendable {
    /// How long a server may say nothing; at least a second.
    public let patience: Duration

    private let lock = NSLock()
    /// Under the lock.
    private var open: [UInt64: Transfer] = [:]

    /// The system's client. `patience` is how long a server may say nothing.
    public init(patience: Duration = .seconds(30)) {
        self.patience = patience
    }

    /// Fetches, and blocks until the body ended or the receiver wants no more.
    public func get(_ request: FetchRequest, into receiver: FetchReceiver) throws {
        guard let url = URL(string: request.url) else {
            throw ExoError(.invalidArgument, "\(request.url) is no address")
        }
        var asked = URLRequest(url: url)
        asked.timeoutInterval = max(patience.interval, 1)
        for (name, value) in request.headers { asked.setValue(value, forHTTPHeaderField: name) }
        let transfer = Transfer(
            of: asked,
            head: { try receiver.head(status: $0.statusCode, url: $0.url?.absoluteString ?? "", headers: $0.fields) },
            chunk: { try receiver.chunk($0) })
        lock.withLock { open[request.id] = transfer }
        defer { lock.withLock { open[request.id] = nil } }
        try transfer.run()
    }

    /// Ends this request's task.
    public func cancel(_ id: UInt64) {
        lock.withLock { open[id] }?.end(.success(()))
    }
}

extension HTTPURLResponse {
    fileprivate var fields: [String: String] {
        var fields: [String: String] = [:]
        for case let (name as String, value as String) in allHeaderFields { fields[name] = value }
        return fields
    }
}
