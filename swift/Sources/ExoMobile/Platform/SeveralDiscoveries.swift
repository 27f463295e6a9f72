/// Several providers as one: what any of them sees is heard, and each advertises.
///
/// ```swift
/// var platform = Platform.standard
/// platform.discovery = SeveralDiscoveries([BonjourDiscovery(), MultipeerDiscovery()])
/// ```
public struct SeveralDiscoveries: DiscoveryProvider {
    private let providers: [any DiscoveryProvider]

    /// These, in this order.
    public init(_ providers: [any DiscoveryProvider]) {
        self.providers = providers
    }

    /// Browses with all of them. One that cannot is no error while another can.
    public func browse(_ serviceType: String, _ listener: ServiceListener) throws {
        try each { try $0.browse(serviceType, listener) }
    }

    /// Stops browsing.
    public func stopBrowsing() throws {
        try each { try $0.stopBrowsing() }
    }

    /// Advertises with all of them.
    public func advertise(_ advertisement: Advertisement) throws {
        try each { try $0.advertise(advertisement) }
    }

    /// Takes back what is advertised.
    public func withdraw() throws {
        try each { try $0.withdraw() }
    }

    /// Asks each. If none could, the first error is the answer.
    private func each(_ ask: (any DiscoveryProvider) throws -> Void) throws {
        var errors: [any Error] = []
        for provider in providers {
            do { try ask(provider) } catch { errors.append(error) }
        }
        if let first = errors.first, errors.count == providers.count { throw first }
    }
}
