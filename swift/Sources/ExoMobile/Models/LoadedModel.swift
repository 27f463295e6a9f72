internal import ExoMobileCore

/// A model that is loaded.
///
/// It lives until ``close()``, or until the last reference to it and its answers is gone; then its memory is given back,
/// unless others have it loaded. It has not the name `Model`, because SwiftData has a macro of that name.
public final class LoadedModel: Sendable {
    /// What it is called.
    public let id: String
    /// Bytes that it uses.
    public let memory: UInt64
    /// Positions of all its conversations together.
    public let context: Int

    let core: ExoMobileCore.Model
    /// Without it, a host that is used for nothing else would be gone, and its models with it.
    private let host: ModelHost

    init(_ core: ExoMobileCore.Model, of host: ModelHost) throws {
        id = try core.id()
        memory = try core.memory()
        context = Int(try core.context())
        self.core = core
        self.host = host
    }

    /// What it answers, piece by piece as it is made. It is asked when a loop over the answer begins; several may run at
    /// once.
    ///
    /// ```swift
    /// for try await piece in model.ask(Question("What is rain?")) {
    ///     if case .text(let words, isThinking: false) = piece { print(words, terminator: "") }
    /// }
    /// ```
    public func ask(_ question: Question) -> Answer { Answer(to: question, by: self) }

    /// Lets go of it; a second time does nothing. Its answers end with an error of the kind ``ExoError/Kind/closed``.
    public func close() {
        try? core.shut()
    }
}
