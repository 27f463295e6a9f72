import ExoMobile

/// The screen *Cluster*: how the membership stands, and with whom.
public struct ClusterScreen: Sendable, Equatable {
    /// How the membership stands.
    public let standing: Standing
    /// Each way of searching that was asked for, with the library's own reason; while nothing was found.
    public let ways: [Line]
    /// Who is in the cluster.
    public let devices: [Line]
    /// Which models run.
    public let models: [Line]

    /// What to say of this.
    public init(_ seen: Seen) {
        standing = Self.standing(seen)
        let isSearching =
            switch seen.state {
            case .searching, .connecting: true
            default: false
            }
        ways = isSearching ? seen.searches.filter { $0.activity != .off }.map(Self.line) : []
        let cluster = Self.isInside(seen.state) ? seen.cluster : nil
        devices = cluster.map(Self.devices) ?? []
        models =
            cluster?.instances.map {
                Line(
                    id: $0.id, tone: .good, title: $0.model, detail: "On \(counted($0.nodes.count, "device")).")
            } ?? []
    }

    private static func isInside(_ state: NodeState?) -> Bool {
        switch state {
        case .joined, .listeningOnly, .degraded: true
        default: false
        }
    }

    private static func standing(_ seen: Seen) -> Standing {
        switch seen.state {
        case nil, .left: alone(seen)
        case .searching: searching(seen)
        case .connecting(let to):
            Standing(
                tone: .calm, headline: "Connecting", sentence: "A cluster answered at \(to).", isBusy: true,
                actions: [.leave])
        case .joining:
            Standing(
                tone: .calm, headline: "Joining", sentence: "Linked. Waiting until the cluster knows this phone.",
                isBusy: true, actions: [.leave])
        case .joined(let nodes): joined(nodes, seen.cluster)
        case .listeningOnly(let why):
            Standing(
                tone: .warn, headline: "Listening only",
                sentence: "\(sentence(why)) To harm nobody, this phone hears the cluster and sends nothing.",
                actions: [.leave])
        case .degraded(let why):
            Standing(
                tone: .warn, headline: "Being repaired", sentence: sentence(why), isBusy: true, actions: [.leave])
        case .draining:
            Standing(
                tone: .calm, headline: "Leaving", sentence: "Saying goodbye, so that nobody waits for this phone.",
                isBusy: true)
        case .failed(let why):
            Standing(tone: .bad, headline: "It ended by itself", sentence: sentence(why), actions: [.join])
        }
    }

    private static func alone(_ seen: Seen) -> Standing {
        if let fault = seen.fault {
            return Standing(
                tone: .bad, headline: "It could not start", sentence: sentence(fault.reason), actions: [.join])
        }
        return Standing(
            tone: .calm, headline: "Not in a cluster",
            sentence: "This phone can find the exo in your network and join it. "
                + "Others then see its name, its memory and how warm it is.",
            actions: [.join])
    }

    /// What stands in the way comes first: who is in no network need not hear of permissions.
    private static func searching(_ seen: Seen) -> Standing {
        if seen.isOffline {
            return Standing(
                tone: .warn, headline: "No network",
                sentence: "Connect to the Wi-Fi in which exo runs. The search goes on by itself.", actions: [.leave])
        }
        if seen.isDenied {
            return Standing(
                tone: .warn, headline: "The local network is closed",
                sentence: "iOS does not let this app search. If you refused it, allow Local Network in Settings; "
                    + "the search goes on by itself.",
                actions: [.openSettings, .leave])
        }
        return Standing(
            tone: .calm, headline: "Searching",
            sentence: "Looking for exo in every way that iOS allows. The first that answers wins.", isBusy: true,
            actions: [.leave])
    }

    private static func joined(_ nodes: Int, _ cluster: Cluster?) -> Standing {
        let master = cluster?.nodes.first { $0.id == cluster?.master }
        let whose = master.map { "The cluster of \(called($0))" } ?? "A cluster"
        return Standing(
            tone: .good, headline: "Joined", sentence: "\(whose), with \(counted(nodes, "device")).", actions: [.leave])
    }

    private static func line(_ search: SearchStatus) -> Line {
        let tone: Tone =
            switch search.activity {
            case .off, .searching: .calm
            case .blocked: .warn
            case .found: .good
            }
        let way =
            switch search.provider {
            case .loopback: "On this phone"
            case .multicast: "Calling to all (multicast)"
            case .unicast: "Asking each host"
            case .dnsSd: "Announced services (Bonjour)"
            case .link: "By your link"
            }
        return Line(id: search.provider.rawValue, tone: tone, title: way, detail: sentence(search.note))
    }

    /// The master first, then this phone, then by name.
    private static func devices(_ cluster: Cluster) -> [Line] {
        let rank: (Cluster.Node) -> (Int, String, String) = {
            ($0.id == cluster.master ? 0 : $0.isThisDevice ? 1 : 2, $0.name ?? "", $0.id)
        }
        return cluster.nodes.sorted { rank($0) < rank($1) }.map { node in
            let role = [node.isThisDevice ? "This phone" : nil, node.id == cluster.master ? "Master" : nil]
            let machine = [node.model, node.osVersion].map { $0.flatMap { $0.hasPrefix("Unknown") ? nil : $0 } }
            return Line(
                id: node.id,
                tone: node.isThisDevice ? .good : .calm,
                title: called(node),
                detail: (role + machine + [shortID(node.id)]).compactMap { $0 }.joined(separator: " · "),
                figure: node.memoryTotal.map(bytes) ?? ""
            )
        }
    }

    private static func called(_ node: Cluster.Node) -> String { node.name ?? "node \(shortID(node.id))" }
}
