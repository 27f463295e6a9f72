import ExoMobile
import Foundation
import Observation

/// A chat with a model of this phone. It runs without any cluster.
@MainActor @Observable
public final class Chat {
    /// What was seen last.
    public private(set) var seen = ChatSeen()
    /// What the owner writes.
    public var typed = ""
    /// The models of this phone, once they were looked at.
    @ObservationIgnored public private(set) var host: ModelHost?
    /// A model on its way here.
    public let download: Download

    @ObservationIgnored private let options: ModelHost.Options
    @ObservationIgnored private let longest: Int
    @ObservationIgnored private var model: LoadedModel?
    @ObservationIgnored private var loading: Task<Void, Never>?
    @ObservationIgnored private var answering: Task<Void, Never>?
    /// The model that was let go of while nobody saw the chat.
    @ObservationIgnored private var resting: String?

    /// With the models of `folder`, on the best device unless told otherwise. An answer has `longest` tokens at most: one
    /// that does not end would warm the phone for nobody.
    public init(folder: URL, gpu: Gpu.Options? = nil, longest: Int = 1024, download: Download = Download()) {
        options = ModelHost.Options(directory: folder.path, gpu: gpu)
        self.download = download
        self.longest = longest
    }

    /// Looks which models there are, and what each would cost now.
    public func look() async {
        do {
            makeFolder()
            let host = if let host { host } else { try await ModelHost.open(options) }
            // Somebody may have looked meanwhile: one host computes for all.
            if self.host == nil { self.host = host }
            seen.shelf = try await self.host?.models()
            seen.fault = nil
        } catch {
            seen.fault = asExoError(error)
        }
    }

    /// Makes the folder for the models. They are large and can be had again, so no backup needs them.
    private func makeFolder() {
        var folder = URL(fileURLWithPath: options.directory, isDirectory: true)
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var values = URLResourceValues()
        values.isExcludedFromBackup = true
        // What another system than Apple's does not know, it passes over.
        try? folder.setResourceValues(values)
    }

    /// Gets the model that the owner wrote, and looks again when it is there.
    public func get() {
        guard let host else { return }
        download.begin(into: host) { [weak self] in await self?.look() }
    }

    // MARK: The model

    /// Loads a model, in the place of another.
    public func choose(_ id: String) {
        letGo()
        load(id)
    }

    /// Gives the chosen model's memory back, or gives its load up. The switch goes with its model.
    public func letGo() {
        unload()
        try? serve(false)
    }

    /// Nobody sees the chat now. iOS keeps the GPU from such apps, and of them ends first who holds much memory: so the
    /// answer stops and the model goes, until ``comeBack()``. The switch stays as it is.
    public func rest() {
        let id = seen.stage.model ?? resting
        unload()
        resting = id
    }

    /// Somebody sees the chat again: the model that it rested from is loaded again.
    public func comeBack() {
        if let resting { load(resting) }
    }

    /// Memory is short: the models give back what they can.
    func relieve() async {
        // A host that fails to do so is closed, and holds nothing.
        _ = try? await host?.relieve()
    }

    private func load(_ id: String) {
        resting = nil
        guard let host else { return }
        (seen.stage, seen.fault) = (.loading(id, nil), nil)
        let told: @Sendable (LoadProgress) -> Void = { [weak self] progress in
            Task { @MainActor [weak self] in self?.told(progress, of: id) }
        }
        loading = Task { [weak self] in
            do {
                let model = try await host.load(id, progress: told)
                self?.loaded(model)
            } catch {
                self?.failed(asExoError(error))
            }
        }
    }

    private func unload() {
        stop()
        loading?.cancel()
        (loading, answering, resting) = (nil, nil, nil)
        model?.close()
        model = nil
        seen.stage = .idle
    }

    private func told(_ progress: LoadProgress, of id: String) {
        guard case .loading(id, let before) = seen.stage, before?.layers ?? 0 < progress.layers else { return }
        seen.stage = .loading(id, progress)
    }

    private func loaded(_ model: LoadedModel) {
        guard case .loading(model.id, _) = seen.stage else { return model.close() }
        self.model = model
        seen.stage = .ready(model.id)
        Task { await look() }
    }

    private func failed(_ error: ExoError) {
        // Who gave it up knows.
        guard error.kind != .cancelled else { return }
        (seen.stage, seen.fault) = (.idle, error)
        // One that it rested from may still be on offer.
        try? serve(false)
    }

    // MARK: The conversation

    /// Asks what was written.
    public func ask() {
        let words = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        guard case .ready(let id) = seen.stage, let model, !words.isEmpty else { return }
        typed = ""
        seen.turns.append(Turn(id: seen.turns.count, role: .user, text: words))
        let answer = model.ask(Question(messages: seen.messages, maxTokens: longest))
        seen.turns.append(Turn(id: seen.turns.count, role: .assistant, text: ""))
        seen.stage = .answering(id)
        answering = Task { [weak self] in await self?.hear(answer, of: id) }
    }

    /// Not a token more is computed. What was said stays.
    public func stop() { answering?.cancel() }

    /// Forgets what was said.
    public func clear() {
        stop()
        seen.turns = []
    }

    private func hear(_ answer: Answer, of id: String) async {
        do {
            for try await piece in answer { seen.take(piece) }
            if Task.isCancelled { seen.note("Stopped", .calm) }
        } catch {
            // Who stops it may let go of the model in the same breath.
            let why = sentence(asExoError(error).reason)
            Task.isCancelled ? seen.note("Stopped", .calm) : seen.note(why, .bad)
        }
        if seen.stage == .answering(id) { seen.stage = .ready(id) }
    }

    // MARK: The cluster

    /// Lets the cluster have the chosen model, or none.
    public func serve(_ isWanted: Bool) throws(ExoError) {
        guard let host else { return }
        let models = isWanted ? seen.model.map { [$0.id] } ?? [] : []
        try host.offer(models)
        seen.offered = models
    }
}
