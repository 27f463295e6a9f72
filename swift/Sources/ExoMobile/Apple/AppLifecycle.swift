#if canImport(UIKit)
    import Foundation
    import UIKit

    /// Tells the core when the app comes to the front and goes, and when heat, battery or memory call for a look.
    public final class AppLifecycle: Lifecycle {
        private let watching = Observers()
        private let leaving = Observers()

        /// One for each node.
        public init() {}

        /// From now on, tell `life` what happens.
        public func watch(_ life: AppLife) throws {
            watching.add(UIApplication.didBecomeActiveNotification) { try? life.shown(true) }
            watching.add(UIApplication.didEnterBackgroundNotification) { try? life.shown(false) }
            watching.add(UIApplication.didReceiveMemoryWarningNotification) { try? life.noticed([.memory]) }
            watching.add(ProcessInfo.thermalStateDidChangeNotification) { try? life.noticed([.thermal]) }
            watching.add(Notification.Name.NSProcessInfoPowerStateDidChange) { try? life.noticed([.battery]) }
            Task { @MainActor in try? life.shown(UIApplication.shared.applicationState == .active) }
        }

        /// Nothing needs to be told any more.
        public func unwatch() throws {
            watching.removeAll()
        }

        /// When the app goes to the background, `node` says goodbye before the system suspends the app; otherwise the
        /// cluster would learn of it only from the silence. Join again when the app comes back.
        public func leaveInBackground(_ node: ExoNode, within: Duration = .seconds(4)) {
            leaving.add(UIApplication.didEnterBackgroundNotification) { [weak node] in
                guard let node else { return }
                Task { @MainActor in await Goodbye(node).say(within) }
            }
        }
    }

    /// A node that leaves while the system grants some seconds.
    @MainActor private final class Goodbye {
        private let node: ExoNode
        private var grant = UIBackgroundTaskIdentifier.invalid

        init(_ node: ExoNode) {
            self.node = node
        }

        func say(_ within: Duration) async {
            // Should the seconds end first, closing the node says goodbye for a quarter of one.
            grant = UIApplication.shared.beginBackgroundTask(withName: "exo goodbye") { self.end() }
            try? await node.leave(within: within)
            end()
        }

        private func end() {
            node.close()
            guard grant != .invalid else { return }
            UIApplication.shared.endBackgroundTask(grant)
            grant = .invalid
        }
    }
#endif
