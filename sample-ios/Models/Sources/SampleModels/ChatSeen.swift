import ExoMobile

/// All that the app has seen of its models and its chat, at one moment.
public struct ChatSeen: Sendable, Equatable {
    /// What the host does for the chat.
    public enum Stage: Sendable, Equatable {
        /// No model was chosen.
        case idle
        /// A model is being loaded; how far it is, once that was told.
        case loading(String, LoadProgress?)
        /// A model waits for a question.
        case ready(String)
        /// It answers.
        case answering(String)

        /// Which model it is about.
        var model: String? {
            switch self {
            case .idle: nil
            case .loading(let id, _), .ready(let id), .answering(let id): id
            }
        }
    }

    /// The models of this phone; none until they were looked for.
    public var shelf: [ShelvedModel]?
    /// What the host does.
    public var stage = Stage.idle
    /// What was said, in its order.
    public var turns: [Turn] = []
    /// The models that the cluster may have.
    public var offered: [String] = []
    /// Why the models could not be looked at, or the chosen one not be loaded.
    public var fault: ExoError?

    /// Nothing yet.
    public init() {}

    /// The model that was chosen and is there.
    public var model: ShelvedModel? {
        switch stage {
        case .ready(let id), .answering(let id): shelf?.first { $0.id == id }
        case .idle, .loading: nil
        }
    }

    /// The conversation so far. What was stopped counts as far as it came. Who was not answered has asked nothing: models
    /// are used to a reply after each question.
    var messages: [ChatMessage] {
        let said = turns.filter { !$0.text.isEmpty }
        let answered = said.indices.filter { said[$0].role != .user || said.dropFirst($0 + 1).first?.role != .user }
        return answered.map { ChatMessage(said[$0].role, said[$0].text) }
    }

    /// Takes a piece of the answer into the last turn.
    mutating func take(_ piece: Answer.Piece) {
        guard let last = turns.indices.last else { return }
        switch piece {
        case .reading(let done, let total): turns[last].note = "Reading: \(done) of \(counted(total, "token"))"
        case .text(_, isThinking: true): turns[last].note = "Thinking"
        case .text(let more, isThinking: false):
            turns[last].text += more
            turns[last].note = ""
        case .end(let end): turns[last].note = pace(end)
        }
    }

    /// Says under the last turn what became of it.
    mutating func note(_ words: String, _ tone: Tone) {
        guard let last = turns.indices.last else { return }
        (turns[last].note, turns[last].tone) = (words, tone)
    }
}

/// Something that was said in the chat.
public struct Turn: Sendable, Equatable, Identifiable {
    /// Its place in the chat.
    public let id: Int
    /// Who said it.
    public let role: ChatMessage.Role
    /// What, as far as it was made.
    public var text: String
    /// How far it is, or what it took.
    public var note = ""
    /// How the note is meant.
    public var tone = Tone.calm

    /// Whether it is the owner's.
    public var isMine: Bool { role == .user }
    /// What VoiceOver says.
    public var spoken: String {
        [isMine ? "You" : "The model", text, note].filter { !$0.isEmpty }.joined(separator: ": ")
    }
}

/// What an answer took: 38 tokens, 12.3 a second.
func pace(_ end: Answer.End) -> String {
    let words = counted(end.completionTokens, "token")
    let made = (end.took - end.firstAfter) / .seconds(1)
    // The first token is what the reading took.
    guard end.completionTokens > 1, made > 0 else { return words }
    let cut = end.finish == .length ? ", as many as it may have" : ""
    return words + ", \(decimal(Double(end.completionTokens - 1) / made)) tokens per second" + cut
}
