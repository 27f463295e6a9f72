// What swift/Sources/ExoMobile/Apple uses of MultipeerConnectivity: signatures only.
import Foundation

public final class MCPeerID: NSObject {
    public init(displayName: String) {}
    public var displayName: String { fatalError() }
}

public final class MCSession: NSObject {}

public final class MCNearbyServiceBrowser: NSObject {
    public init(peer: MCPeerID, serviceType: String) {}
    public weak var delegate: (any MCNearbyServiceBrowserDelegate)?
    public func startBrowsingForPeers() {}
    public func stopBrowsingForPeers() {}
}

public protocol MCNearbyServiceBrowserDelegate: NSObjectProtocol {
    func browser(
        _ browser: MCNearbyServiceBrowser, foundPeer peerID: MCPeerID, withDiscoveryInfo info: [String: String]?)
    func browser(_ browser: MCNearbyServiceBrowser, lostPeer peerID: MCPeerID)
    func browser(_ browser: MCNearbyServiceBrowser, didNotStartBrowsingForPeers error: any Error)
}

public final class MCNearbyServiceAdvertiser: NSObject {
    public init(peer: MCPeerID, discoveryInfo: [String: String]?, serviceType: String) {}
    public weak var delegate: (any MCNearbyServiceAdvertiserDelegate)?
    public func startAdvertisingPeer() {}
    public func stopAdvertisingPeer() {}
}

public protocol MCNearbyServiceAdvertiserDelegate: NSObjectProtocol {
    func advertiser(
        _ advertiser: MCNearbyServiceAdvertiser, didReceiveInvitationFromPeer peerID: MCPeerID,
        withContext context: Data?, invitationHandler: @escaping (Bool, MCSession?) -> Void)
    func advertiser(_ advertiser: MCNearbyServiceAdvertiser, didNotStartAdvertisingPeer error: any Error)
}
