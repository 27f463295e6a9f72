internal import ExoMobileCore

/// One message of a conversation.
public struct ChatMessage: Sendable, Hashable, Codable {
    /// Who says something in a conversation.
    public enum Role: String, Sendable, CaseIterable, Codable {
        /// Whoever wrote the app.
        case system
        /// Whoever uses it.
        case user
        /// The model.
        case assistant
    }

    /// Who says it.
    public var role: Role
    /// What.
    public var content: String

    /// Somebody says something.
    public init(_ role: Role, _ content: String) {
        self.role = role
        self.content = content
    }
}

/// A conversation that the model shall continue. What is left out, the model's own files say.
public struct Question: Sendable, Hashable {
    /// The conversation so far.
    public var messages: [ChatMessage]
    /// How many tokens the answer may have.
    public var maxTokens: Int?
    /// 0 takes the likeliest token each time; higher is more varied.
    public var temperature: Double?
    /// Only the likeliest tokens that have this probability together.
    public var topP: Double?
    /// Only so many of the likeliest tokens.
    public var topK: Int?
    /// Only tokens that are at least this part as likely as the likeliest.
    public var minP: Double?
    /// The same seed gives the same answer on the same device.
    public var seed: Int?
    /// Texts before which the answer ends.
    public var stop: [String]
    /// Whether the model shall think first, where it can.
    public var thinking: Bool?

    /// Asks for the next message of a conversation.
    public init(
        messages: [ChatMessage],
        maxTokens: Int? = nil,
        temperature: Double? = nil,
        topP: Double? = nil,
        topK: Int? = nil,
        minP: Double? = nil,
        seed: Int? = nil,
        stop: [String] = [],
        thinking: Bool? = nil
    ) {
        self.messages = messages
        self.maxTokens = maxTokens
        self.temperature = temperature
        self.topP = topP
        self.topK = topK
        self.minP = minP
        self.seed = seed
        self.stop = stop
        self.thinking = thinking
    }

    /// Asks one thing, with nothing said before.
    public init(_ words: String, maxTokens: Int? = nil) {
        self.init(messages: [ChatMessage(.user, words)], maxTokens: maxTokens)
    }

    var core: ExoMobileCore.Question {
        get throws(ExoError) {
            ExoMobileCore.Question(
                messages: messages.map(\.core),
                maxTokens: try counted(maxTokens, "the number of tokens"),
                temperature: temperature.map(Float.init),
                topP: topP.map(Float.init),
                topK: try counted(topK, "the number of likely tokens"),
                minP: minP.map(Float.init),
                seed: seed.map(Int64.init),
                stop: stop,
                thinking: thinking
            )
        }
    }
}

private func counted(_ number: Int?, _ what: String) throws(ExoError) -> UInt32? {
    guard let number else { return nil }
    let count: UInt32 = try counted(number, what)
    return count
}

extension ChatMessage {
    fileprivate var core: ExoMobileCore.ChatMessage {
        let role: ExoMobileCore.Role =
            switch role {
            case .system: .system
            case .user: .user
            case .assistant: .assistant
            }
        return ExoMobileCore.ChatMessage(role: role, content: content)
    }
}
