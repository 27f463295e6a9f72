#if canImport(Network) && canImport(dnssd)
    import Foundation
    import Network
    import dnssd

    /// DNS-SD by the system's own daemon.
    ///
    /// The app's Info.plist names `_exo._tcp` in `NSBonjourServices` and says why in `NSLocalNetworkUsageDescription`.
    /// Where the owner refused, the search says so: ``SearchStatus/Activity/blocked``.
    public final class BonjourDiscovery: DiscoveryProvider, @unchecked Sendable {
        // What is not constant is used on this queue alone, which is also where the system calls back.
        private let queue = DispatchQueue(label: "exo-dns-sd")
        private var browser: NWBrowser?
        private var resolutions: [String: NWConnection] = [:]
        private var registration: DNSServiceRef?

        /// One for each node.
        public init() {}

        deinit {
            // Nobody else has it any more, on whatever thread this is.
            endBrowsing()
            endRegistration()
        }

        /// Browses until told to stop.
        public func browse(_ serviceType: String, _ listener: ServiceListener) throws {
            queue.sync {
                endBrowsing()
                let browser = NWBrowser(for: .bonjourWithTXTRecord(type: serviceType, domain: nil), using: .tcp)
                browser.stateUpdateHandler = { Self.tell(listener, $0) }
                browser.browseResultsChangedHandler = { [weak self] results, _ in
                    for result in results { self?.resolve(result, listener) }
                }
                browser.start(queue: queue)
                self.browser = browser
            }
        }

        /// Stops browsing.
        public func stopBrowsing() throws {
            queue.sync { endBrowsing() }
        }

        /// Advertises the port of the core's router. A listener of Network.framework could only advertise a port of its
        /// own, so the daemon is asked directly.
        public func advertise(_ advertisement: Advertisement) throws {
            try queue.sync {
                endRegistration()
                let txt = Self.record(advertisement.txt)
                var registration: DNSServiceRef?
                let code = DNSServiceRegister(
                    &registration, 0, 0, advertisement.name, advertisement.serviceType, nil, nil,
                    advertisement.port.bigEndian, UInt16(txt.count), txt, nil, nil)
                guard code == kDNSServiceErr_NoError, let registration else {
                    throw Self.error(code, "the service could not be advertised")
                }
                DNSServiceSetDispatchQueue(registration, queue)
                self.registration = registration
            }
        }

        /// Takes back what is advertised.
        public func withdraw() throws {
            queue.sync { endRegistration() }
        }

        private func endBrowsing() {
            browser?.cancel()
            browser = nil
            for resolution in resolutions.values { resolution.cancel() }
            resolutions = [:]
        }

        private func endRegistration() {
            if let registration { DNSServiceRefDeallocate(registration) }
            registration = nil
        }

        private static func tell(_ listener: ServiceListener, _ state: NWBrowser.State) {
            switch state {
            // Without the owner's leave a browser waits for ever.
            case .waiting(let error) where error.isDenied, .failed(let error) where error.isDenied:
                try? listener.failed(isPermission: true, why: "the local network is not allowed for this app")
            case .failed(let error):
                try? listener.failed(isPermission: false, why: error.localizedDescription)
            default:
                break
            }
        }

        /// Asks for the addresses of a service. The connection is UDP, which sends nothing by being made; it is
        /// cancelled as soon as the system has resolved it.
        private func resolve(_ result: NWBrowser.Result, _ listener: ServiceListener) {
            guard case .service(let name, _, _, _) = result.endpoint else { return }
            var txt: [String: String] = [:]
            if case .bonjour(let record) = result.metadata { txt = record.dictionary }
            let connection = NWConnection(to: result.endpoint, using: .udp)
            connection.stateUpdateHandler = { [weak self, txt] state in
                switch state {
                case .ready:
                    let endpoint = self?.resolutions[name]?.currentPath?.remoteEndpoint
                    if let service = Self.service(name, endpoint, txt) { try? listener.resolved(service) }
                    self?.forget(name)
                case .failed, .waiting:
                    self?.forget(name)
                default:
                    break
                }
            }
            resolutions.updateValue(connection, forKey: name)?.cancel()
            connection.start(queue: queue)
        }

        private func forget(_ name: String) {
            resolutions.removeValue(forKey: name)?.cancel()
        }

        private static func service(_ name: String, _ endpoint: NWEndpoint?, _ txt: [String: String]) -> Service? {
            guard case .hostPort(let host, let port) = endpoint else { return nil }
            switch host {
            case .ipv4(let address):
                return Service(name: name, addresses: ["\(address)"], port: port.rawValue, txt: txt)
            case .ipv6(let address):
                let interface = address.interface.map { UInt32($0.index) }
                return Service(
                    name: name, addresses: ["\(address)"], interface: interface, port: port.rawValue, txt: txt)
            default:
                return nil
            }
        }

        /// Entries of a TXT record: a length, then `key=value`. What is longer than a length can say is left out.
        private static func record(_ entries: [String: String]) -> [UInt8] {
            let bytes = entries.sorted { $0.key < $1.key }.map { Array("\($0.key)=\($0.value)".utf8) }
            return bytes.filter { $0.count <= 255 }.flatMap { [UInt8($0.count)] + $0 }
        }

        private static func error(_ code: DNSServiceErrorType, _ what: String) -> ExoError {
            code == policyDenied
                ? ExoError(.notPermitted, "the local network is not allowed for this app; allow it in the settings")
                : ExoError(.system, "\(what): the daemon says \(code)")
        }
    }

    /// What the daemon says when the owner refused the local network (`kDNSServiceErr_PolicyDenied`).
    private let policyDenied: DNSServiceErrorType = -65570

    extension NWError {
        fileprivate var isDenied: Bool {
            if case .dns(let code) = self { code == policyDenied } else { false }
        }
    }
#endif
