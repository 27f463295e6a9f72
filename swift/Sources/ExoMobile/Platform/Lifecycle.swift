internal import ExoMobileCore

/// Tells the core what becomes of the app.
public protocol Lifecycle: Sendable {
    /// From now on, tell `life` what happens. What holds now is told too.
    func watch(_ life: AppLife) throws

    /// Nothing needs to be told any more.
    func unwatch() throws
}

/// Hears what becomes of the app. What is told after the node has ended does nothing.
public final class AppLife: Sendable {
    private let core: ExoMobileCore.AppLife

    init(_ core: ExoMobileCore.AppLife) {
        self.core = core
    }

    /// The app is on the screen, or is not any more.
    public func shown(_ shown: Bool) throws(ExoError) {
        try calling { try core.shown(shown: shown) }
    }

    /// These readings changed: look at them now, not when it is their turn. Memory is among them when the system warns that
    /// it is short: then models give some back.
    public func noticed(_ groups: Set<Readings.Group>) throws(ExoError) {
        try calling { try core.noticed(groups: groups.map(\.core)) }
    }
}

/// The app's lifecycle as the core asks it.
final class AskedLifecycle: ExoMobileCore.Lifecycle {
    private let lifecycle: any Lifecycle

    init(_ lifecycle: any Lifecycle) {
        self.lifecycle = lifecycle
    }

    func watch(life: ExoMobileCore.AppLife) throws {
        try answering { try lifecycle.watch(AppLife(life)) }
    }

    func unwatch() throws {
        try answering { try lifecycle.unwatch() }
    }
}
