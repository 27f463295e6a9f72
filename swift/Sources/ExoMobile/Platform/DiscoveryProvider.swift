internal import ExoMobileCore

/// Somebody who does DNS-SD for us.
///
/// Called from a thread of its own, in order. An error of the kind ``ExoError/Kind/notPermitted`` is shown to people as
/// such. Stopping what was not started is no error.
public protocol DiscoveryProvider: Sendable {
    /// Browses this service type until told to stop; what is already known is told too.
    func browse(_ serviceType: String, _ listener: ServiceListener) throws

    /// Stops browsing.
    func stopBrowsing() throws

    /// Advertises this, and nothing that was advertised before.
    func advertise(_ advertisement: Advertisement) throws

    /// Takes back what is advertised.
    func withdraw() throws
}

/// A service that was resolved.
public struct Service: Sendable, Equatable {
    /// The instance name.
    public var name: String
    /// Its addresses; a link-local one needs `interface`.
    public var addresses: [String]
    /// The interface's index, where known.
    public var interface: UInt32?
    /// The port.
    public var port: UInt16
    /// The TXT record.
    public var txt: [String: String]

    /// A service.
    public init(
        name: String, addresses: [String], interface: UInt32? = nil, port: UInt16, txt: [String: String] = [:]
    ) {
        self.name = name
        self.addresses = addresses
        self.interface = interface
        self.port = port
        self.txt = txt
    }
}

/// What shall be advertised.
public struct Advertisement: Sendable, Equatable {
    /// The service type: `_exo._tcp`.
    public let serviceType: String
    /// The instance name. Random: it says nothing of the phone's owner.
    public let name: String
    /// The port.
    public let port: UInt16
    /// The TXT record.
    public let txt: [String: String]
}

/// Hears what browsing sees. May be called from any thread, also after browsing was stopped.
public final class ServiceListener: Sendable {
    private let core: ExoMobileCore.ServiceListener

    init(_ core: ExoMobileCore.ServiceListener) {
        self.core = core
    }

    /// A service was resolved, or has changed.
    public func resolved(_ service: Service) throws(ExoError) {
        let txt = service.txt.sorted { $0.key < $1.key }.map { ExoMobileCore.TxtEntry(key: $0.key, value: $0.value) }
        try calling {
            try core.resolved(
                service: ExoMobileCore.Service(
                    name: service.name, addresses: service.addresses, interface: service.interface,
                    port: service.port, txt: txt))
        }
    }

    /// Browsing broke and is over. `isPermission`: because the system or its user does not allow it.
    public func failed(isPermission: Bool, why: String) throws(ExoError) {
        try calling { try core.failed(permission: isPermission, why: why) }
    }
}

/// The app's provider as the core asks it.
final class AskedProvider: ExoMobileCore.DiscoveryProvider {
    private let provider: any DiscoveryProvider

    init(_ provider: any DiscoveryProvider) {
        self.provider = provider
    }

    func browse(serviceType: String, listener: ExoMobileCore.ServiceListener) throws {
        try answering { try provider.browse(serviceType, ServiceListener(listener)) }
    }

    func stopBrowsing() throws {
        try answering { try provider.stopBrowsing() }
    }

    func advertise(advertisement: ExoMobileCore.Advertisement) throws {
        let told = Advertisement(
            serviceType: advertisement.serviceType,
            name: advertisement.name,
            port: advertisement.port,
            txt: Dictionary(advertisement.txt.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        )
        try answering { try provider.advertise(told) }
    }

    func withdraw() throws {
        try answering { try provider.withdraw() }
    }
}
