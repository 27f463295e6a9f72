import ExoMobile

/// The row *Get a model*: how far one is, and what went wrong.
public struct DownloadScreen: Sendable, Equatable {
    /// What is under way, or became of it.
    public let sentence: String
    /// How it is meant.
    public let tone: Tone
    /// How much is there, between 0 and 1; none while that is not known.
    public let part: Double?
    /// Whether a model is coming, which can be stopped.
    public let isComing: Bool

    /// What to say of this.
    public init(_ stage: Download.Stage) {
        switch stage {
        case .idle:
            self.init("It comes from Hugging Face, and is checked before it is used. Use Wi-Fi: models are large.")
        case .coming(let id, let progress):
            guard let progress, progress.total > 0 else {
                self.init("\(id): asking which files it has.", isComing: true)
                return
            }
            self.init(
                "\(bytes(progress.done)) of \(bytes(progress.total)), \(bytes(UInt64(max(progress.speed, 0)))) a second.",
                part: Double(progress.done) / Double(progress.total), isComing: true)
        case .stopped(let id):
            self.init("\(id) was stopped. What came stays: get it again, and it goes on from there.")
        case .failed(let id, let error):
            self.init("\(id): \(SampleModels.sentence(Self.words(error)))", tone: .bad)
        }
    }

    private init(_ sentence: String, tone: Tone = .calm, part: Double? = nil, isComing: Bool = false) {
        (self.sentence, self.tone, self.part, self.isComing) = (sentence, tone, part, isComing)
    }

    /// What the owner can do, where the library cannot know it.
    private static func words(_ error: ExoError) -> String {
        switch error.kind {
        case .notFound: "there is no such model. A name has an owner and a slash, such as mlx-community/Qwen3-0.6B-4bit"
        case .notPermitted: "this model is not for everybody, and this sample has no token for it"
        case .unreachable: "nobody answers. Look whether this phone is online; what came stays"
        default: error.reason
        }
    }
}
