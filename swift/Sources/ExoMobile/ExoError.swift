import Foundation

/// The one error of this SDK: a stable kind to act on, words for people, and details for developers.
public struct ExoError: Error, Sendable, Equatable {
    /// Kinds of failure, by what the caller can do about them. Names are added, never changed.
    public enum Kind: String, Sendable, CaseIterable {
        /// An argument can never work as given: change it.
        case invalidArgument
        /// The object was closed before this call: open a new one.
        case closed
        /// The system or the owner does not allow it: ask for the permission.
        case notPermitted
        /// The call was cancelled.
        case cancelled
        /// No GPU and no CPU backend could be opened.
        case noDevice
        /// Memory ran out: free some, or ask for less.
        case outOfMemory
        /// The device cannot do this.
        case unsupported
        /// The device stopped answering: open it again.
        case deviceLost
        /// The system keeps the device from the app for now: try again in the foreground.
        case suspended
        /// The driver returned an error.
        case driver
        /// A file could not be read or written.
        case storage
        /// A port could not be opened: choose another.
        case port
        /// The system gave no thread or socket, or the node is busy: try again later.
        case system
        /// There is nobody to ask, or nobody answered.
        case unreachable
        /// exo was asked and said no.
        case refused
        /// The cluster did not acknowledge: what was asked may have happened.
        case unheard
        /// What was named is not known.
        case notFound
        /// The app's own code, which the core called, failed.
        case foreign
        /// A fault of this library: report it.
        case fault
    }

    /// What the caller can do about it.
    public var kind: Kind
    /// What happened and what to do, for people.
    public var reason: String
    /// More, for developers; may be empty.
    public var detail: String
    /// Whether the same call may succeed later, unchanged.
    public var isRetryable: Bool

    /// Whether the system or the owner has to allow something first.
    public var isPermission: Bool { kind == .notPermitted }

    /// An error, such as a probe or a key store of the app's own throws.
    public init(_ kind: Kind, _ reason: String, detail: String = "", isRetryable: Bool? = nil) {
        self.kind = kind
        self.reason = reason
        self.detail = detail
        self.isRetryable = isRetryable ?? [.system, .unreachable, .suspended].contains(kind)
    }
}

extension ExoError: LocalizedError, CustomStringConvertible {
    /// The reason.
    public var errorDescription: String? { reason }
    /// The kind and the reason.
    public var description: String { "\(kind.rawValue): \(reason)" }
}
