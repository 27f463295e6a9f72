// What swift/Sources/ExoMobile/Apple uses of Network.framework: signatures only. Its classes are not Sendable here,
// which is stricter than some versions of Apple's SDK.
import Dispatch

public enum NWError: Error, Sendable {
    case posix(Int32)
    case dns(Int32)
    case tls(Int32)
}

public struct NWTXTRecord: Hashable, Sendable { public var dictionary: [String: String] { fatalError() } }

public struct NWInterface: Hashable, Sendable {
    public enum InterfaceType: Sendable { case other, wifi, cellular, wiredEthernet, loopback }
    public var index: Int { fatalError() }
}

public struct IPv4Address: Hashable, Sendable { public var interface: NWInterface? { fatalError() } }
public struct IPv6Address: Hashable, Sendable { public var interface: NWInterface? { fatalError() } }

public enum NWEndpoint: Hashable, Sendable {
    public enum Host: Hashable, Sendable {
        case name(String, NWInterface?)
        case ipv4(IPv4Address)
        case ipv6(IPv6Address)
    }
    public struct Port: Hashable, Sendable { public var rawValue: UInt16 { fatalError() } }
    case hostPort(host: Host, port: Port)
    case service(name: String, type: String, domain: String, interface: NWInterface?)
    case unix(path: String)
}

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public var status: Status { fatalError() }
    public var isExpensive: Bool { fatalError() }
    public var remoteEndpoint: NWEndpoint? { fatalError() }
    public func usesInterfaceType(_ type: NWInterface.InterfaceType) -> Bool { fatalError() }
}

public final class NWPathMonitor {
    public init() {}
    public var currentPath: NWPath { fatalError() }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}

public final class NWParameters {
    public static var tcp: NWParameters { fatalError() }
    public static var udp: NWParameters { fatalError() }
}

public final class NWBrowser {
    public enum Descriptor: Sendable {
        case bonjour(type: String, domain: String?)
        case bonjourWithTXTRecord(type: String, domain: String?)
    }
    public enum State: Sendable { case setup, ready, failed(NWError), cancelled, waiting(NWError) }
    public struct Result: Hashable, Sendable {
        public enum Metadata: Hashable, Sendable { case none, bonjour(NWTXTRecord) }
        public enum Change: Hashable, Sendable { case identical }
        public var endpoint: NWEndpoint { fatalError() }
        public var metadata: Metadata { fatalError() }
    }
    public init(for descriptor: Descriptor, using parameters: NWParameters) {}
    public var stateUpdateHandler: (@Sendable (State) -> Void)?
    public var browseResultsChangedHandler: (@Sendable (Set<Result>, Set<Result.Change>) -> Void)?
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}

public final class NWConnection {
    public enum State: Sendable { case setup, waiting(NWError), preparing, ready, failed(NWError), cancelled }
    public init(to endpoint: NWEndpoint, using parameters: NWParameters) {}
    public var currentPath: NWPath? { fatalError() }
    public var stateUpdateHandler: (@Sendable (State) -> Void)?
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
