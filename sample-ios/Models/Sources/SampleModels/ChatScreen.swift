import ExoMobile

/// The screen *Chat*: the models of this phone, and what they say.
public struct ChatScreen: Sendable, Equatable {
    /// A model that can be chosen, or that cannot.
    public struct Choice: Sendable, Equatable, Identifiable {
        /// What it is called.
        public let id: String
        /// What it costs, or why it cannot be loaded.
        public let line: Line
        /// Whether it can be loaded.
        public let isPossible: Bool
        /// Whether it is the one that is loaded, or on its way.
        public let isChosen: Bool
    }

    /// How the chat stands.
    public let standing: Standing
    /// The models of this phone.
    public let choices: [Choice]
    /// What was said.
    public let turns: [Turn]
    /// Whether a question can be asked.
    public let canAsk: Bool
    /// Whether an answer can be stopped.
    public let canStop: Bool
    /// Whether there is no model yet, and one can be got.
    public let canGet: Bool

    /// What to say of this.
    public init(_ seen: ChatSeen) {
        standing = Self.standing(seen)
        choices = seen.shelf?.map { Self.choice($0, seen.stage) } ?? []
        turns = seen.turns
        canAsk = if case .ready = seen.stage { true } else { false }
        canStop = if case .answering = seen.stage { true } else { false }
        canGet = seen.shelf?.isEmpty == true
    }

    private static func standing(_ seen: ChatSeen) -> Standing {
        if let fault = seen.fault {
            return Standing(tone: .bad, headline: "That did not work", sentence: sentence(fault.reason))
        }
        switch seen.stage {
        case .loading(let id, let progress):
            let far = progress.map { "\($0.layers) of \(counted($0.of, "layer")) are there." } ?? "It is being read."
            return Standing(tone: .calm, headline: "Loading", sentence: "\(id). \(far)", isBusy: true)
        case .ready(let id):
            return Standing(
                tone: .good, headline: "Ask it something",
                sentence: "\(id) answers on this phone. Nothing that you write leaves it.")
        case .answering(let id):
            return Standing(tone: .calm, headline: "Answering", sentence: "\(id).", isBusy: true)
        case .idle: return idle(seen.shelf)
        }
    }

    private static func idle(_ shelf: [ShelvedModel]?) -> Standing {
        guard let shelf else {
            return Standing(
                tone: .calm, headline: "Looking for models", sentence: "The device that computes is opened.",
                isBusy: true)
        }
        if shelf.isEmpty {
            return Standing(
                tone: .warn, headline: "No model yet",
                sentence: "Get one below. Or copy one into Application Support/Models, where each model has a folder "
                    + "as exo names it, such as mlx-community--Qwen3-0.6B-4bit, and look again.")
        }
        return Standing(
            tone: .calm, headline: "Choose a model",
            sentence: "It is loaded into this phone's memory, and answers here.")
    }

    private static func choice(_ model: ShelvedModel, _ stage: ChatSeen.Stage) -> Choice {
        let isChosen =
            switch stage {
            case .idle: false
            case .loading(let id, _), .ready(let id), .answering(let id): id == model.id
            }
        let line =
            if let memory = model.memory {
                Line(
                    id: model.id, tone: isChosen ? .good : .calm, title: model.id,
                    detail: "\(model.isLoaded ? "Uses" : "Would use") \(bytes(memory)) of memory.",
                    figure: bytes(model.bytes))
            } else {
                Line(
                    id: model.id, tone: .warn, title: model.id, detail: sentence(model.refusal ?? ""),
                    figure: bytes(model.bytes))
            }
        return Choice(id: model.id, line: line, isPossible: model.memory != nil, isChosen: isChosen)
    }
}
