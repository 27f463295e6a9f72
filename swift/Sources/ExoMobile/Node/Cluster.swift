internal import ExoMobileCore

/// The cluster as this member sees it.
public struct Cluster: Sendable, Equatable {
    /// One node of the cluster, as its events tell.
    public struct Node: Sendable, Equatable, Identifiable {
        /// Its id.
        public let id: String
        /// What people call it.
        public let name: String?
        /// Its model.
        public let model: String?
        /// Its chip.
        public let chip: String?
        /// Its system.
        public let osVersion: String?
        /// Bytes of its memory.
        public let memoryTotal: UInt64?
        /// Bytes of it that are free.
        public let memoryAvailable: UInt64?
        /// Degrees Celsius.
        public let temperature: Double?
        /// 0 to 1.
        public let gpuUse: Double?
        /// The backends that it announced; none: it is a guest.
        public let backends: [String]
        /// Whether the master counts it as present.
        public let isPresent: Bool
        /// Whether it is this device.
        public let isThisDevice: Bool
    }

    /// A model that runs.
    public struct Instance: Sendable, Equatable, Identifiable {
        /// Its id.
        public let id: String
        /// The model.
        public let model: String
        /// The nodes that run it.
        public let nodes: [String]
    }

    /// A link that exo knows.
    public struct Link: Sendable, Equatable {
        /// From whom.
        public let from: String
        /// To whom.
        public let to: String
    }

    /// The master's id, while one is known.
    public let master: String?
    /// Whether the whole state is known; while not, nodes may be missing.
    public let isComplete: Bool
    /// Its nodes.
    public let nodes: [Node]
    /// Its instances.
    public let instances: [Instance]
    /// Its links.
    public let links: [Link]

    /// This device as the cluster sees it, once it does.
    public var thisDevice: Node? { nodes.first(where: \.isThisDevice) }

    init(_ cluster: ExoMobileCore.Cluster) {
        master = cluster.master
        isComplete = cluster.isComplete
        nodes = cluster.nodes.map(Node.init)
        instances = cluster.instances.map { Instance(id: $0.id, model: $0.model, nodes: $0.nodes) }
        links = cluster.links.map { Link(from: $0.from, to: $0.to) }
    }
}

extension Cluster.Node {
    init(_ node: ExoMobileCore.ClusterNode) {
        self.init(
            id: node.id,
            name: node.name,
            model: node.model,
            chip: node.chip,
            osVersion: node.osVersion,
            memoryTotal: node.memoryTotal,
            memoryAvailable: node.memoryAvailable,
            temperature: node.temperature,
            gpuUse: node.gpuUse,
            backends: node.backends,
            isPresent: node.isPresent,
            isThisDevice: node.isThisDevice
        )
    }
}
