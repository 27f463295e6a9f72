#if canImport(MultipeerConnectivity)
    import Foundation
    import MultipeerConnectivity
    import os

    /// Phones that are near each other tell where their exo is, by Multipeer Connectivity: also where the access point
    /// keeps multicast from its guests, because phones see each other without it.
    ///
    /// A member that is attached to an exo hands its `exo://` link to those who browse. No session is ever made: each
    /// invitation is declined, and nothing else is read or sent. Use it beside Bonjour: ``SeveralDiscoveries``.
    ///
    /// The app's Info.plist names `_exo-mobile._tcp` and `_exo-mobile._udp` in `NSBonjourServices` for it. Apple has
    /// deprecated the framework since iOS 27 and macOS 27, and names Network.framework in its place, which
    /// ``BonjourDiscovery`` uses: this provider is for the systems before that, and no part of ``Platform/standard``.
    public final class MultipeerDiscovery: DiscoveryProvider {
        /// What Multipeer Connectivity calls us: at most 15 letters, digits and hyphens.
        private static let service = "exo-mobile"

        private struct Going: @unchecked Sendable {
            var browser: MCNearbyServiceBrowser?
            var advertiser: MCNearbyServiceAdvertiser?
        }

        // The framework is never called while the lock is held: it may call back.
        private let going = OSAllocatedUnfairLock(initialState: Going())
        private let ears = Ears()

        /// One for each node.
        public init() {}

        deinit {
            endBrowsing()
            endAdvertising()
        }

        /// Browses until told to stop. `serviceType` is DNS-SD's, and has no meaning here.
        public func browse(_ serviceType: String, _ listener: ServiceListener) throws {
            endBrowsing()
            ears.listener.withLock { $0 = listener }
            let now = going.withLock { [ears] in
                // A name that says nothing: who browses is not seen by others.
                let browser = MCNearbyServiceBrowser(peer: MCPeerID(displayName: "exo"), serviceType: Self.service)
                browser.delegate = ears
                $0.browser = browser
                return $0
            }
            now.browser?.startBrowsingForPeers()
        }

        /// Stops browsing.
        public func stopBrowsing() throws {
            endBrowsing()
        }

        /// Hands the link of our exo to those who browse. A phone that hosts a cluster itself has none to hand over, and
        /// leaves it to Bonjour.
        public func advertise(_ advertisement: Advertisement) throws {
            endAdvertising()
            guard let words = HandedLink(advertisement)?.words else { return }
            let now = going.withLock { [ears] in
                let peer = MCPeerID(displayName: advertisement.name)
                let advertiser = MCNearbyServiceAdvertiser(
                    peer: peer, discoveryInfo: words, serviceType: Self.service)
                advertiser.delegate = ears
                $0.advertiser = advertiser
                return $0
            }
            now.advertiser?.startAdvertisingPeer()
        }

        /// Takes back what is advertised.
        public func withdraw() throws {
            endAdvertising()
        }

        private func endBrowsing() {
            let before = going.withLock { now in
                defer { now.browser = nil }
                return now
            }
            before.browser?.stopBrowsingForPeers()
            ears.listener.withLock { $0 = nil }
        }

        private func endAdvertising() {
            let before = going.withLock { now in
                defer { now.advertiser = nil }
                return now
            }
            before.advertiser?.stopAdvertisingPeer()
        }
    }

    /// What the framework calls, on threads of its own.
    private final class Ears: NSObject, MCNearbyServiceBrowserDelegate, MCNearbyServiceAdvertiserDelegate, Sendable {
        let listener = OSAllocatedUnfairLock<ServiceListener?>(initialState: nil)

        func browser(
            _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?
        ) {
            guard let service = HandedLink(info ?? [:])?.service(of: peerID.displayName) else { return }
            try? listener.withLock { $0 }?.resolved(service)
        }

        /// Its link may hold all the same.
        func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID) {}

        func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error) {
            let code = (error as NSError).code
            let why =
                code == undeclared
                ? "the app's Info.plist lacks _exo-mobile._tcp and _exo-mobile._udp in NSBonjourServices"
                : error.localizedDescription
            try? listener.withLock { $0 }?.failed(isPermission: [undeclared, denied].contains(code), why: why)
        }

        /// Nobody is let into a session: the link was all that there is to say.
        func advertiser(
            _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
            withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void
        ) {
            invitationHandler(false, nil)
        }

        /// Advertising is a favour to others: without it we join all the same.
        func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error) {}
    }

    /// The Info.plist does not name the service (`NSNetServicesMissingRequiredConfigurationError`).
    private let undeclared = -72008
    /// The owner refused the local network (`kDNSServiceErr_PolicyDenied`).
    private let denied = -65570
#endif
