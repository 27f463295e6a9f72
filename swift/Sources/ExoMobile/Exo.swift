internal import ExoMobileCore

/// What needs no node and no GPU.
public enum Exo {
    /// What this library is.
    public struct About: Sendable, Equatable {
        /// Its version.
        public let version: String
        /// The GPU backends that it was built with, best first.
        public let backends: [String]
        /// The builds of exo whose messages it knows.
        public let exoBuilds: [String]
        /// The version of the telemetry protocol that it speaks.
        public let telemetryProtocol: String
    }

    /// What this library is.
    public static func about() throws(ExoError) -> About {
        let about = try calling { try ExoMobileCore.about() }
        return About(
            version: about.version,
            backends: about.backends,
            exoBuilds: about.exoBuilds,
            telemetryProtocol: about.telemetryProtocol
        )
    }

    /// What a link would do, to be shown to a person before anything is sent.
    public struct LinkPreview: Sendable, Equatable {
        /// The link as it is written. This is what ``JoinOptions/confirmedLink`` takes once a person agreed.
        public let link: String
        /// The host that would be dialled.
        public let host: String
        /// The port of its zenoh router.
        public let port: UInt16
        /// The name of its cluster, if the link has one.
        public let namespace: String?
        /// The port of its HTTP interface.
        public let api: UInt16
    }

    /// Reads a link (`exo://host[:port]?ns=NAME`) or a bare address. Nothing is resolved or sent; the error says what to
    /// write instead.
    public static func readLink(_ text: String) throws(ExoError) -> LinkPreview {
        let shown = try calling { try ExoMobileCore.readLink(text: text) }
        return LinkPreview(
            link: shown.link, host: shown.host, port: shown.port, namespace: shown.namespace, api: shown.api)
    }

    /// Solves a placement problem that is given as JSON and answers in JSON. For programs that plan for a cluster of
    /// their own; ``ExoNode/plan(_:wishes:)`` plans for the one that was joined.
    public static func place(_ problem: String) throws(ExoError) -> String {
        try calling { try ExoMobileCore.place(problem: problem) }
    }

    /// Makes the library fail inside, which must reach the app as an error of the kind ``ExoError/Kind/fault`` and
    /// nothing worse. For tests: of this SDK, and of what an app does when it meets one.
    public static func provokeFault() throws(ExoError) {
        try calling { try ExoMobileCore.provokeFault() }
    }
}
