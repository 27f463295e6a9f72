internal import ExoMobileCore

/// What a platform does for the core. What is left out, the core does itself as far as it can.
///
/// Code of the app may be slow and may throw: it is called on threads that nothing else waits for, and what it throws is
/// taken for an answer.
public struct Platform: Sendable {
    /// How the device is. Left out, the files of a Linux machine are read.
    public var probe: (any Probe)?
    /// DNS-SD, by the system's own daemon. Left out, a computer does it itself and a phone does without.
    public var discovery: (any DiscoveryProvider)?
    /// Where the node's identity is kept. Left out, it is a file in ``JoinOptions/dataDirectory``.
    public var keys: (any KeyStore)?
    /// Where the core's log goes. Left out, nowhere.
    public var log: (any LogSink)?
    /// When the app comes to the front, and goes.
    public var lifecycle: (any Lifecycle)?
    /// Models that the cluster may have, as far as they are offered. Left out, this device answers nothing.
    public var models: ModelHost?

    /// Nothing, unless told otherwise.
    public init(
        probe: (any Probe)? = nil,
        discovery: (any DiscoveryProvider)? = nil,
        keys: (any KeyStore)? = nil,
        log: (any LogSink)? = nil,
        lifecycle: (any Lifecycle)? = nil,
        models: ModelHost? = nil
    ) {
        self.probe = probe
        self.discovery = discovery
        self.keys = keys
        self.log = log
        self.lifecycle = lifecycle
        self.models = models
    }

    /// All that this system has for it: Apple's on Apple's systems, nothing on Linux.
    public static var standard: Platform {
        var platform = Platform()
        #if canImport(os)
            platform.probe = AppleProbe()
            platform.log = UnifiedLog()
        #endif
        #if canImport(Network) && canImport(dnssd)
            platform.discovery = BonjourDiscovery()
        #endif
        #if canImport(Security)
            platform.keys = KeychainKeys()
        #endif
        #if canImport(UIKit)
            platform.lifecycle = AppLifecycle()
        #endif
        return platform
    }

    var core: ExoMobileCore.Platform {
        ExoMobileCore.Platform(
            probe: probe.map(AskedProbe.init),
            discovery: discovery.map(AskedProvider.init),
            keys: keys.map(AskedKeys.init),
            log: log.map(AskedSink.init),
            lifecycle: lifecycle.map(AskedLifecycle.init),
            models: models?.core
        )
    }
}
