import ExoMobile
import Observation

@MainActor @Observable
final class Membership {
    private var node: ExoNode?

    func join() throws {
        node = try ExoNode.join(JoinOptions(name: "My phone"))
    }
}
