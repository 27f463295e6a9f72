// What swift/Sources/ExoMobile/Apple and sample-ios use of UIKit: signatures only.
import Foundation

@MainActor public final class UIDevice {
    public enum BatteryState: Int, Sendable { case unknown, unplugged, charging, full }
    public static var current: UIDevice { fatalError() }
    public var isBatteryMonitoringEnabled: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    public var batteryLevel: Float { fatalError() }
    public var batteryState: BatteryState { fatalError() }
    public nonisolated static var batteryLevelDidChangeNotification: Notification.Name { fatalError() }
    public nonisolated static var batteryStateDidChangeNotification: Notification.Name { fatalError() }
}

public struct UIBackgroundTaskIdentifier: Hashable, Sendable {
    public static var invalid: UIBackgroundTaskIdentifier { fatalError() }
}

@MainActor public final class UIApplication {
    public enum State: Int, Sendable { case active, inactive, background }
    public static var shared: UIApplication { fatalError() }
    public static var openSettingsURLString: String { fatalError() }
    public var applicationState: State { fatalError() }
    public func beginBackgroundTask(
        withName name: String?, expirationHandler: (@MainActor @Sendable () -> Void)? = nil
    ) -> UIBackgroundTaskIdentifier { fatalError() }
    public func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
    public nonisolated static var didBecomeActiveNotification: Notification.Name { fatalError() }
    public nonisolated static var didEnterBackgroundNotification: Notification.Name { fatalError() }
    public nonisolated static var didReceiveMemoryWarningNotification: Notification.Name { fatalError() }
}

public enum UIKeyboardType: Int, Sendable { case `default`, URL }
