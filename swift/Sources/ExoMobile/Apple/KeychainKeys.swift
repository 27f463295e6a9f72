#if canImport(Security)
    import Foundation
    import Security

    /// The node's identity in the Keychain: on this device alone, and readable once it was unlocked after a start.
    public final class KeychainKeys: KeyStore {
        private let service: String

        /// `service` is the name of the entry.
        public init(service: String = "dev.exo.mobile.identity") {
            self.service = service
        }

        /// The identity that was kept, if there is one.
        public func load() throws -> String? {
            var query = entry
            query[kSecReturnData as String] = true
            query[kSecMatchLimit as String] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            switch status {
            case errSecSuccess: return (found as? Data).map { String(decoding: $0, as: UTF8.self) }
            case errSecItemNotFound: return nil
            default: throw Self.error(status, "read")
            }
        }

        /// Keeps this one from now on.
        public func save(_ identity: String) throws {
            let value: [String: Any] = [
                kSecValueData as String: Data(identity.utf8),
                kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
            ]
            var status = SecItemUpdate(entry as CFDictionary, value as CFDictionary)
            if status == errSecItemNotFound {
                status = SecItemAdd(entry.merging(value) { _, new in new } as CFDictionary, nil)
            }
            guard status == errSecSuccess else { throw Self.error(status, "write") }
        }

        private var entry: [String: Any] {
            [
                kSecClass as String: kSecClassGenericPassword,
                kSecAttrService as String: service,
                kSecAttrAccount as String: "node",
            ]
        }

        private static func error(_ status: OSStatus, _ what: String) -> ExoError {
            // Before the first unlock after a start, the Keychain answers nobody.
            status == errSecInteractionNotAllowed
                ? ExoError(.notPermitted, "the Keychain is locked; unlock the device once", isRetryable: true)
                : ExoError(.storage, "the Keychain could not \(what) the identity", detail: "OSStatus \(status)")
        }
    }
#endif
