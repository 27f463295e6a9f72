internal import ExoMobileCore

/// Keeps the node's identity. exo remembers every identity until its session ends, so a phone shall keep its own.
public protocol KeyStore: Sendable {
    /// The identity that was kept, if there is one.
    func load() throws -> String?

    /// Keeps this one from now on.
    func save(_ identity: String) throws
}

/// The app's key store as the core asks it.
final class AskedKeys: ExoMobileCore.KeyStore {
    private let keys: any KeyStore

    init(_ keys: any KeyStore) {
        self.keys = keys
    }

    func load() throws -> String? {
        try answering { try keys.load() }
    }

    func save(identity: String) throws {
        try answering { try keys.save(identity) }
    }
}
