internal import ExoMobileCore

/// The links between members of this SDK, and what they make of the cluster.
public struct Topology: Sendable, Equatable {
    /// What carries a link.
    public enum LinkKind: String, Sendable, CaseIterable {
        /// A wireless LAN.
        case wifi
        /// A wired LAN.
        case ethernet
        /// A Thunderbolt cable.
        case thunderbolt
        /// A USB cable.
        case usb
        /// The same device.
        case loopback
        /// Nobody knows.
        case unknown
    }

    /// A figure about a link.
    public struct Figure: Sendable, Equatable {
        /// The best guess; none if it cannot be had.
        public let value: Double?
        /// How far off it may be.
        public let error: Double?
        /// Where it comes from.
        public let source: Source
        /// How it was estimated, or why it cannot be had.
        public let note: String?

        init(_ figure: ExoMobileCore.LinkFigure) {
            value = figure.value
            error = figure.error
            source = Source(figure.source)
            note = figure.note
        }
    }

    /// A link between two devices. Seconds, bytes a second, parts of 1.
    public struct Link: Sendable, Equatable {
        /// The device that measured.
        public let from: String
        /// The other.
        public let to: String
        /// What carries it.
        public let kind: LinkKind
        /// The median round trip.
        public let roundTrip: Figure
        /// The median change from one round trip to the next.
        public let jitter: Figure
        /// The part of the echoes that was lost.
        public let loss: Figure
        /// What it carries from the device that measured.
        public let bandwidthUp: Figure
        /// What it carries to it.
        public let bandwidthDown: Figure

        init(_ link: ExoMobileCore.Link) {
            from = link.from
            to = link.to
            kind = LinkKind(link.kind)
            roundTrip = Figure(link.roundTrip)
            jitter = Figure(link.jitter)
            loss = Figure(link.loss)
            bandwidthUp = Figure(link.bandwidthUp)
            bandwidthDown = Figure(link.bandwidthDown)
        }
    }

    /// The two devices farthest from each other.
    public struct FarthestPair: Sendable, Equatable {
        /// One end.
        public let from: String
        /// The other.
        public let to: String
        /// Links between them.
        public let hops: Int
        /// There and back.
        public let roundTrip: Duration
    }

    /// A link that holds the cluster back.
    public struct SlowLink: Sendable, Equatable {
        /// One end.
        public let from: String
        /// The other.
        public let to: String
        /// Its slower direction, in bytes a second.
        public let bandwidth: Double
    }

    /// The links.
    public let links: [Link]
    /// How many parts cannot reach each other. One is good.
    public let parts: Int
    /// The two devices farthest from each other.
    public let diameter: FarthestPair?
    /// Bytes a second, over all that were measured.
    public let averageBandwidth: Double?
    /// Links that hold the cluster back, slowest first.
    public let bottlenecks: [SlowLink]
    /// Devices without which a part falls apart.
    public let cutDevices: [String]
    /// A few lines that a person reads.
    public let summary: String
    /// A picture of it.
    public let svg: String

    init(_ report: ExoMobileCore.TopologyReport) {
        links = report.links.map(Link.init)
        parts = Int(report.parts)
        diameter = report.diameter.map {
            FarthestPair(
                from: $0.from, to: $0.to, hops: Int($0.hops), roundTrip: Duration(interval: $0.roundTrip))
        }
        averageBandwidth = report.averageBandwidth
        bottlenecks = report.bottlenecks.map { SlowLink(from: $0.from, to: $0.to, bandwidth: $0.bandwidth) }
        cutDevices = report.cutDevices
        summary = report.summary
        svg = report.svg
    }
}
