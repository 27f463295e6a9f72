import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Where servers may send us: at most ten times, never from `https` to what anybody could change, and with a token only to
/// the origin that it was meant for. The system's own way would take the token along.
struct Redirects {
    private static let most = 10
    private let asked: URLRequest
    private var count = 0

    init(of asked: URLRequest) {
        self.asked = asked
    }

    /// What to ask instead.
    mutating func follow(from: URL?, to: URL?) throws(ExoError) -> URLRequest {
        let host = from?.host ?? "the server"
        guard let to, let scheme = to.scheme?.lowercased(), ["http", "https"].contains(scheme) else {
            throw ExoError(.refused, "\(host) redirects to what is neither https nor http")
        }
        if from?.scheme?.lowercased() == "https", scheme != "https" {
            throw ExoError(.refused, "\(host) redirects from https to http, where anybody could change the file")
        }
        count += 1
        guard count <= Self.most else { throw ExoError(.refused, "\(host) redirects more than \(Self.most) times") }
        var next = asked
        next.url = to
        if asked.url.map(Origin.init) != Origin(to) { next.setValue(nil, forHTTPHeaderField: "Authorization") }
        return next
    }
}

/// Who answers at an address.
private struct Origin: Equatable {
    let scheme: String?
    let host: String?
    let port: Int?

    init(_ url: URL) {
        scheme = url.scheme?.lowercased()
        host = url.host?.lowercased()
        port = url.port ?? (scheme == "https" ? 443 : 80)
    }
}
