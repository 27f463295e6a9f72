import ExoMobile
import Foundation
import Observation

/// What the whole app is about: the membership, the owner's wishes, and links that wait for the owner's yes.
@MainActor @Observable
public final class SampleModel {
    /// The node and what was seen of it.
    public let membership: Membership
    /// The chat with a model of this phone.
    public let chat: Chat
    /// What the owner chose. Rules hold at once, a name from the next join on.
    public var wishes: Wishes {
        didSet {
            guard wishes != oldValue else { return }
            if wishes.policy != oldValue.policy { membership.allow(wishes.policy) }
            keep()
        }
    }
    /// What the owner writes into the field for a link.
    public var typed = ""
    /// A link that waits for the owner's yes. Nothing was sent to it.
    public private(set) var offered: Exo.LinkPreview?
    /// What is wrong with the link that was given last.
    public private(set) var linkFault: String?
    /// What else went wrong.
    public private(set) var trouble: String?

    @ObservationIgnored private let file: WishesFile
    @ObservationIgnored private let dataDirectory: String
    @ObservationIgnored private let adjust: (inout JoinOptions) -> Void

    /// Keeps what there is to keep in `folder`, where the models are in `Models`. `adjust` may narrow how the node searches.
    public init(
        folder: URL, membership: Membership, chat: Chat? = nil,
        adjust: @escaping (inout JoinOptions) -> Void = { _ in }
    ) {
        file = WishesFile(folder)
        dataDirectory = folder.path
        wishes = file.load()
        self.membership = membership
        self.chat = chat ?? Chat(folder: folder.appendingPathComponent("Models"))
        self.adjust = adjust
    }

    /// The screen *Cluster*.
    public var cluster: ClusterScreen { ClusterScreen(membership.seen) }
    /// The screen *This phone*.
    public var phone: PhoneScreen { PhoneScreen(membership.seen) }
    /// The screen *Chat*.
    public var talk: ChatScreen { ChatScreen(chat.seen) }
    /// The row *Get a model* on it; none where there are models.
    public var download: DownloadScreen? { talk.canGet ? DownloadScreen(chat.download.stage) : nil }
    /// The switch on it; none while no model is there to be served.
    public var serving: ServingScreen? { ServingScreen(chat.seen, membership.seen) }

    /// Searches for a cluster and joins it.
    public func join() {
        membership.models = chat.host
        membership.join(options)
    }

    /// The app is on the screen again.
    public func comeBack() {
        membership.models = chat.host
        membership.comeBack(options)
        chat.comeBack()
    }

    /// Memory is short. A node that was given the models sees to it by itself; without one nobody else would.
    public func relieve() async {
        if membership.isGivenModels, membership.seen.state?.isOver == false { return }
        await chat.relieve()
    }

    /// Says goodbye.
    public func leave() async { await membership.leave() }

    /// The owner has seen what it costs, and lets the cluster have the chosen model; or takes it back.
    public func serve(_ isWanted: Bool) {
        do {
            try chat.serve(isWanted)
            // A node that began before there were models has none to serve.
            if isWanted, membership.isWanted, !membership.isGivenModels { join() }
            trouble = nil
        } catch {
            trouble = "The cluster was not told: \(error.reason)"
        }
    }

    // MARK: Links

    /// Somebody gave a link: typed, scanned, or opened from another app. It is read and shown, and that is all.
    public func offer(_ text: String) {
        do {
            offered = try Exo.readLink(text.trimmingCharacters(in: .whitespacesAndNewlines))
            linkFault = nil
        } catch {
            offered = nil
            linkFault = error.reason
        }
    }

    /// What the offered link would do, as a question.
    public var question: String? {
        offered.map { link in
            let cluster = link.namespace.map { ", in the cluster named \($0)" } ?? ""
            return "A link asks this phone to connect to \(link.host), port \(link.port)\(cluster). "
                + "Nothing was sent yet. Agree only if you know who gave you the link."
        }
    }

    /// The owner agreed to the offered link: join by it.
    public func agree() {
        guard let link = offered?.link else { return }
        offered = nil
        typed = ""
        wishes.link = link
        join()
    }

    /// The owner did not.
    public func dismiss() { offered = nil }

    /// Forgets the link that the owner agreed to once.
    public func forgetLink() { wishes.link = nil }

    /// A link by which another phone finds the same exo, for the QR code: the owner's own, or where this phone is linked
    /// to. None before that, and none for an exo on this very device, which nobody else would reach.
    public var shared: String? {
        let text = wishes.link ?? membership.seen.linkedTo.map { $0.replacingOccurrences(of: "tcp/", with: "exo://") }
        guard let text, let shown = try? Exo.readLink(text) else { return nil }
        return ["127.0.0.1", "[::1]", "localhost"].contains(shown.host) ? nil : shown.link
    }

    private func keep() {
        do {
            try file.save(wishes)
            trouble = nil
        } catch {
            trouble = "Your settings could not be kept: \(error.localizedDescription)"
        }
    }

    private var options: JoinOptions {
        var options = wishes.options(dataDirectory: dataDirectory)
        adjust(&options)
        return options
    }
}
