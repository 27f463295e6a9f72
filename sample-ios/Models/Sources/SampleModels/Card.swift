/// How something is meant.
public enum Tone: Sendable, Equatable {
    /// As it should be, or not known yet.
    case calm
    /// Good news.
    case good
    /// Somebody may want to do something about it.
    case warn
    /// It is over.
    case bad
}

/// What the owner can do about it.
public enum Action: Sendable, Equatable, CaseIterable {
    /// Search for a cluster and join it.
    case join
    /// Say goodbye.
    case leave
    /// Open the system's settings of this app.
    case openSettings

    /// What the button says.
    public var label: String {
        switch self {
        case .join: "Join"
        case .leave: "Leave"
        case .openSettings: "Open Settings"
        }
    }
}

/// How things stand, in a headline and a sentence.
public struct Standing: Sendable, Equatable {
    /// How it is meant.
    public var tone: Tone
    /// In a word or two.
    public var headline: String
    /// In a sentence or two.
    public var sentence: String
    /// Whether something is under way.
    public var isBusy = false
    /// What can be done about it.
    public var actions: [Action] = []
}

/// One thing of a list.
public struct Line: Sendable, Equatable, Identifiable {
    /// Unique in its list.
    public var id: String
    /// How it is meant.
    public var tone: Tone = .calm
    /// Its name.
    public var title: String
    /// More about it.
    public var detail: String
    /// Its figure, if it has one.
    public var figure = ""

    /// What VoiceOver says.
    public var spoken: String { [title, figure, detail].filter { !$0.isEmpty }.joined(separator: ", ") }
}
