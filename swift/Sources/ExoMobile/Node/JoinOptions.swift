internal import ExoMobileCore

/// How to join. Everything may be left out: then a stock exo is found in any way.
public struct JoinOptions: Sendable, Equatable {
    /// What people see in exo's dashboard; the platform's own name if left out.
    public var name: String?
    /// Where the node keeps its identity and the hosts that it met. Left out, and without a key store, each run is a new
    /// node.
    public var dataDirectory: String?
    /// The cluster's name, where it has one.
    public var namespace: String?
    /// A link that a person saw and agreed to: see ``Exo/readLink(_:)``.
    public var confirmedLink: String?
    /// Search on this interface alone.
    public var interface: String?
    /// Search in these ways alone.
    public var only: Set<SearchStatus.Provider>?
    /// Where exo listens for a Hello, if not at its usual port.
    public var discoveryPort: UInt16?
    /// What the owner allows.
    public var policy: Policy
    /// By how many minutes the owner's clock is ahead of UTC, for quiet hours.
    public var utcOffsetMinutes: Int16?
    /// Measure the links to other members of this SDK.
    public var measuresLinks: Bool
    /// Serve `GET /metrics` and `GET /telemetry` at this address, such as `127.0.0.1:9473`.
    public var metrics: String?
    /// Hear everything, say nothing.
    public var listensOnly: Bool
    /// Send although the cluster's build is not known.
    public var allowsUnknownBuild: Bool
    /// Form a cluster of phones while no exo is around.
    public var founding: Founding?

    /// A cluster of phones, formed while no exo is around.
    public struct Founding: Sendable, Equatable {
        /// Phones of other apps are not met.
        public var app: String
        /// Where the router listens if this phone hosts: `0.0.0.0:0` lets the system choose the port.
        public var router: String
        /// How long no exo must have been found before phones look for each other; 10 s if left out.
        public var aloneAfter: Duration?

        /// A cluster of the phones that run this app.
        public init(app: String, router: String = "0.0.0.0:0", aloneAfter: Duration? = nil) {
            self.app = app
            self.router = router
            self.aloneAfter = aloneAfter
        }
    }

    /// Finds a stock exo in any way, unless told otherwise.
    public init(
        name: String? = nil,
        dataDirectory: String? = nil,
        namespace: String? = nil,
        confirmedLink: String? = nil,
        interface: String? = nil,
        only: Set<SearchStatus.Provider>? = nil,
        discoveryPort: UInt16? = nil,
        policy: Policy = Policy(),
        utcOffsetMinutes: Int16? = nil,
        measuresLinks: Bool = true,
        metrics: String? = nil,
        listensOnly: Bool = false,
        allowsUnknownBuild: Bool = false,
        founding: Founding? = nil
    ) {
        self.name = name
        self.dataDirectory = dataDirectory
        self.namespace = namespace
        self.confirmedLink = confirmedLink
        self.interface = interface
        self.only = only
        self.discoveryPort = discoveryPort
        self.policy = policy
        self.utcOffsetMinutes = utcOffsetMinutes
        self.measuresLinks = measuresLinks
        self.metrics = metrics
        self.listensOnly = listensOnly
        self.allowsUnknownBuild = allowsUnknownBuild
        self.founding = founding
    }

    var core: ExoMobileCore.JoinOptions {
        ExoMobileCore.JoinOptions(
            name: name,
            dataDir: dataDirectory,
            namespace: namespace,
            confirmedLink: confirmedLink,
            interface: interface,
            only: only?.map(\.core),
            discoveryPort: discoveryPort,
            policy: policy.core,
            utcOffsetMinutes: utcOffsetMinutes,
            measureLinks: measuresLinks,
            metrics: metrics,
            listenOnly: listensOnly,
            allowUnknownBuild: allowsUnknownBuild,
            founding: founding.map {
                ExoMobileCore.Founding(app: $0.app, router: $0.router, aloneAfter: $0.aloneAfter?.interval)
            }
        )
    }
}
