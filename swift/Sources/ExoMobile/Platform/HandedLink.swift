/// The `exo://` link that one member hands to another: where the exo listens that it is attached to.
///
/// For ways of meeting that carry a few words and no DNS-SD record, such as ``MultipeerDiscovery``. A link that was
/// handed over is a stranger's word: whom it names is asked by a Hello before it counts, as with any announcement.
struct HandedLink: Equatable {
    private static let keys = (link: "link", cluster: "ns")

    /// The link.
    let link: String
    /// The hash of the cluster's name, so that members of another cluster are left alone.
    let cluster: String?

    /// The link that an advertisement can be said by. None for a phone that hosts a cluster itself: it knows its port,
    /// and not by which of its addresses others reach it.
    init?(_ advertisement: Advertisement) {
        let places = advertisement.txt["via"]?.split(separator: ",") ?? []
        guard let first = places.first, first.hasPrefix("tcp/") else { return nil }
        guard let link = try? Exo.readLink("exo://\(first.dropFirst("tcp/".count))").link else { return nil }
        self.link = link
        cluster = advertisement.txt["ns"]
    }

    /// Reads what another phone said.
    init?(_ words: [String: String]) {
        guard let text = words[Self.keys.link], let link = try? Exo.readLink(text).link else { return nil }
        self.link = link
        cluster = words[Self.keys.cluster]
    }

    /// What to say to another phone.
    var words: [String: String] {
        var words = [Self.keys.link: link]
        words[Self.keys.cluster] = cluster
        return words
    }

    /// The same as a service that was seen: a member that is attached to an exo and is never dialled itself.
    func service(of name: String) -> Service? {
        guard let place = try? Exo.readLink(link) else { return nil }
        var txt = ["v": "1", "role": "client", "via": "tcp/\(place.host):\(place.port)"]
        txt["ns"] = cluster
        return Service(name: name, addresses: [], port: place.port, txt: txt)
    }
}
