internal import ExoMobileCore

/// What one way of searching did and what came of it.
public struct SearchStatus: Sendable, Equatable {
    /// A way of finding a cluster.
    public enum Provider: String, Sendable, CaseIterable {
        /// A Hello to this very device.
        case loopback
        /// exo's Hello to its multicast group.
        case multicast
        /// exo's Hello to each host of the own subnet: needs no multicast right.
        case unicast
        /// `_exo._tcp`, by the system's own daemon.
        case dnsSd
        /// An address or a link that a person gave.
        case link
    }

    /// What a way of searching is doing.
    public enum Activity: String, Sendable, CaseIterable {
        /// Not asked for, or nothing to do.
        case off
        /// Searching.
        case searching
        /// It cannot search; the note says why.
        case blocked
        /// It found a cluster.
        case found
    }

    /// Which.
    public let provider: Provider
    /// What it is doing.
    public let activity: Activity
    /// One line for people.
    public let note: String

    init(_ status: ExoMobileCore.SearchStatus) {
        provider = Provider(status.provider)
        activity = Activity(status.activity)
        note = status.note
    }
}

extension SearchStatus.Provider {
    init(_ provider: ExoMobileCore.Provider) {
        self =
            switch provider {
            case .loopback: .loopback
            case .multicast: .multicast
            case .unicast: .unicast
            case .dnsSd: .dnsSd
            case .link: .link
            }
    }

    var core: ExoMobileCore.Provider {
        switch self {
        case .loopback: .loopback
        case .multicast: .multicast
        case .unicast: .unicast
        case .dnsSd: .dnsSd
        case .link: .link
        }
    }
}

extension SearchStatus.Activity {
    init(_ activity: ExoMobileCore.Activity) {
        self =
            switch activity {
            case .off: .off
            case .searching: .searching
            case .blocked: .blocked
            case .found: .found
            }
    }
}
