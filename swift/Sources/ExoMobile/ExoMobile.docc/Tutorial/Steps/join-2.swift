import ExoMobile
import Observation

@MainActor @Observable
final class Membership {
    private(set) var state = NodeState.searching
    private var node: ExoNode?

    func join() throws {
        let node = try ExoNode.join(JoinOptions(name: "My phone"))
        self.node = node
        Task {
            for try await state in node.states { self.state = state }
        }
    }
}
