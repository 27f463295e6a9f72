import ExoMobile
import Observation

@MainActor @Observable
final class Membership {
    private(set) var state = NodeState.searching
    private var node: ExoNode?
    private let lifecycle = AppLifecycle()

    func join() throws {
        var platform = Platform.standard
        platform.lifecycle = lifecycle
        let node = try ExoNode.join(JoinOptions(name: "My phone"), platform: platform)
        self.node = node
        lifecycle.leaveInBackground(node)
        Task {
            for try await state in node.states { self.state = state }
        }
    }

    func leave() async {
        try? await node?.leave(within: .seconds(4))
        node?.close()
        node = nil
    }
}
