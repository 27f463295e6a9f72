import ExoMobile
import Observation

@MainActor @Observable
final class Membership {
    private(set) var state = NodeState.searching
    private(set) var searches: [SearchStatus] = []
    private var node: ExoNode?

    func join() throws {
        let node = try ExoNode.join(JoinOptions(name: "My phone"))
        self.node = node
        Task {
            for try await state in node.states { self.state = state }
        }
        Task {
            for try await searches in node.searches { self.searches = searches }
        }
    }
}
