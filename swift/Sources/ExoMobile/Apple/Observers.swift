#if canImport(os)
    import Foundation
    import os

    /// Who listens to the notification centre, until told otherwise or gone.
    final class Observers: Sendable {
        private struct Tokens: @unchecked Sendable {
            /// What the notification centre gave; only ever handed back to it, which may be done from any thread.
            var all: [any NSObjectProtocol] = []
        }

        private let tokens = OSAllocatedUnfairLock(initialState: Tokens())

        func add(_ name: Notification.Name, _ tell: @escaping @Sendable () -> Void) {
            tokens.withLock {
                $0.all.append(
                    NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) { _ in tell() })
            }
        }

        func removeAll() {
            tokens.withLock {
                for token in $0.all { NotificationCenter.default.removeObserver(token) }
                $0.all = []
            }
        }

        deinit {
            removeAll()
        }
    }
#endif
