import ExoMobile
import Observation

/// The node of the app, and all that was seen of it.
@MainActor @Observable
public final class Membership {
    /// What was seen last.
    public private(set) var seen = Seen()
    /// Whether the owner asked to be a member. Outlives a node that left because the app went to the background.
    public private(set) var isWanted = false
    /// Models for the cluster, given to every node that begins from now on.
    @ObservationIgnored public var models: ModelHost?
    /// Whether the node that is there was given them.
    @ObservationIgnored public private(set) var isGivenModels = false

    @ObservationIgnored private var node: ExoNode?
    @ObservationIgnored private var listening: [Task<Void, Never>] = []
    /// How to join once the node that says goodbye is over.
    @ObservationIgnored private var next: JoinOptions?
    @ObservationIgnored private let platform: () -> Platform
    @ObservationIgnored private let begun: (ExoNode) -> Void

    /// `platform` is asked for each node; `begun` hears of each.
    public init(
        platform: @escaping () -> Platform = { .standard }, begun: @escaping (ExoNode) -> Void = { _ in }
    ) {
        self.platform = platform
        self.begun = begun
    }

    /// Searches for a cluster and joins it, with a new node.
    public func join(_ options: JoinOptions) {
        end()
        isWanted = true
        do {
            var platform = platform()
            platform.models = models
            let node = try ExoNode.join(options, platform: platform)
            self.node = node
            isGivenModels = models != nil
            listen(to: node)
            begun(node)
        } catch {
            seen.fault = error
        }
    }

    /// Joins again if the owner wants to be a member and the node left in the background, or is about to have left.
    public func comeBack(_ options: JoinOptions) {
        guard isWanted else { return }
        if seen.state?.isOver ?? true {
            join(options)
        } else if seen.state == .draining {
            next = options
        }
    }

    /// Says goodbye, and waits until the cluster has seen it.
    public func leave() async {
        isWanted = false
        next = nil
        guard let node else { return }
        // Shown at once: the goodbye itself may be over in a blink.
        seen.state = .draining
        // It is over in any case; whether the goodbye was heard, nobody can do anything about.
        try? await node.leave(within: .seconds(5))
        // Meanwhile the owner may have asked for another.
        if self.node === node { end() }
    }

    /// What the owner allows from now on.
    public func allow(_ policy: Policy) {
        try? node?.setPolicy(policy)
    }

    /// Opens the GPU, to show what it is.
    public func lookAtGpu(_ options: Gpu.Options = .init()) async {
        do {
            let gpu = try await Gpu.open(options)
            seen.gpu = .device(try gpu.device)
            gpu.close()
        } catch {
            seen.gpu = .refused(why: error.reason)
        }
    }

    private func end() {
        for task in listening { task.cancel() }
        listening = []
        next = nil
        node?.close()
        node = nil
        let gpu = seen.gpu
        seen = Seen()
        seen.gpu = gpu
    }

    private func listen(to node: ExoNode) {
        listening = [
            hear(node.states) { seen, state in
                seen.state = state
                if case .connecting(let to) = state { seen.linkedTo = to }
            },
            hear(node.searches) { $0.searches = $1 },
            hear(node.clusters) { $0.cluster = $1 },
            hear(node.conditions) { seen, condition in
                seen.condition = condition
                seen.heat.add(condition)
            },
        ]
    }

    /// A stream ends with its node, or when the task is cancelled for another node.
    private func hear<Value: Sendable>(
        _ updates: Updates<Value>, _ take: @escaping @MainActor (inout Seen, Value) -> Void
    ) -> Task<Void, Never> {
        Task { [weak self] in
            var values = updates.makeAsyncIterator()
            while let value = try? await values.next(), let self, !Task.isCancelled {
                take(&self.seen, value)
                if let next, self.seen.state?.isOver == true { join(next) }
            }
        }
    }
}
