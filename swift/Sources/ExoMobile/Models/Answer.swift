internal import ExoMobileCore

/// What a model says, piece by piece as it is made.
///
/// Each loop asks anew. A loop that is left, or whose task is cancelled, takes its question back: not a token more is
/// computed. A cancelled loop ends without ``Piece/end(_:)`` and without an error; all other troubles are thrown, each an
/// ``ExoError``.
public struct Answer: AsyncSequence, Sendable {
    /// A piece of an answer.
    public enum Piece: Sendable, Equatable {
        /// More of the conversation was read: so many tokens, of so many.
        case reading(done: Int, total: Int)
        /// Something to append, or a thought.
        case text(String, isThinking: Bool)
        /// The end. Nothing follows.
        case end(End)
    }

    /// The end of an answer, and what it took.
    public struct End: Sendable, Equatable {
        /// Why an answer ends.
        public enum Finish: String, Sendable, CaseIterable {
            /// The model had said it all, or came to a text at which to stop.
            case stop
            /// It had as many tokens as it may.
            case length
        }

        /// Why.
        public let finish: Finish
        /// Tokens of the conversation that was asked.
        public let promptTokens: Int
        /// How many of them were known from an earlier question.
        public let cachedTokens: Int
        /// Tokens of the answer, thoughts included.
        public let completionTokens: Int
        /// Those of them that were thoughts.
        public let thinkingTokens: Int
        /// From the question to the first token.
        public let firstAfter: Duration
        /// From the question to the end.
        public let took: Duration
    }

    /// One run through the pieces.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Result<Pulled<Piece>, ExoError>

        /// The next piece; none after the end or when the task was cancelled. What it throws is an ``ExoError``.
        public mutating func next() async throws -> Piece? { try await source.get().pull() }
    }

    private let question: Question
    private let model: LoadedModel

    init(to question: Question, by model: LoadedModel) {
        self.question = question
        self.model = model
    }

    /// Asks.
    public func makeAsyncIterator() -> Iterator {
        Iterator(
            source: Result { Pulled(try model.core.ask(question: try question.core), of: model, Piece.init) }
                .mapError { ExoError($0) })
    }

    /// All that the model says, without its thoughts. In a task that is cancelled, this throws an error of the kind
    /// ``ExoError/Kind/cancelled``.
    public func text() async throws(ExoError) -> String {
        var text = ""
        do {
            for try await piece in self {
                switch piece {
                case .text(let more, isThinking: false): text += more
                case .end: return text
                case .reading, .text: break
                }
            }
        } catch {
            throw ExoError(error)
        }
        throw ExoError(.cancelled, "the question was taken back before its answer ended")
    }
}

extension ExoMobileCore.Answer: CoreStream {}

extension Answer.Piece {
    init(_ piece: ExoMobileCore.AnswerPiece) {
        self =
            switch piece {
            case .reading(let done, let total): .reading(done: Int(done), total: Int(total))
            case .text(let text, let isThinking): .text(text, isThinking: isThinking)
            case .end(let end): .end(Answer.End(end))
            }
    }
}

extension Answer.End {
    init(_ end: ExoMobileCore.AnswerEnd) {
        self.init(
            finish: end.finish == .stop ? .stop : .length,
            promptTokens: Int(end.promptTokens),
            cachedTokens: Int(end.cachedTokens),
            completionTokens: Int(end.completionTokens),
            thinkingTokens: Int(end.thinkingTokens),
            firstAfter: Duration(interval: end.firstAfter),
            took: Duration(interval: end.took)
        )
    }
}
