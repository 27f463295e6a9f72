internal import ExoMobileCore

/// The models of this device, and the device that computes them.
///
/// An app opens one. Its own chats ask the models, and a node that was given the host (``Platform/models``) answers the
/// cluster with those that were offered. A model is loaded once, whoever wants it.
///
/// It lives until ``close()``, which ends its models and their answers, or until the last reference to it, to its models
/// and to the nodes that serve them is gone. All of it may be called from any thread.
public final class ModelHost: Sendable {
    let core: ExoMobileCore.ModelHost

    private init(core: ExoMobileCore.ModelHost) {
        self.core = core
    }

    /// How a host is opened.
    public struct Options: Sendable, Equatable {
        /// Where models lie, each in a folder as exo names it: `mlx-community--Qwen3-0.6B-4bit`.
        public var directory: String
        /// Where they are computed; the best device if left out.
        public var gpu: Gpu.Options?
        /// Positions of all conversations of a model together. Halved, and halved again, where memory is short.
        public var context: Int

        /// The models in this directory, on the best device, unless told otherwise.
        public init(directory: String, gpu: Gpu.Options? = nil, context: Int = 4096) {
            self.directory = directory
            self.gpu = gpu
            self.context = context
        }
    }

    /// Opens the device, in three seconds at most. Nothing is loaded, and nothing is offered to the cluster, until
    /// somebody says so.
    public static func open(_ options: Options) async throws(ExoError) -> ModelHost {
        let wanted = ExoMobileCore.ModelHostOptions(
            directory: options.directory,
            gpu: options.gpu?.core,
            context: try counted(options.context, "the context")
        )
        return ModelHost(core: try await calling { try await ExoMobileCore.ModelHost.open(options: wanted) })
    }

    /// The device that computes.
    public var device: Gpu.Device {
        get throws(ExoError) { Gpu.Device(try calling { try core.device() }) }
    }

    /// All models that are on this device, with what each would cost and why one cannot be loaded.
    public func models() async throws(ExoError) -> [ShelvedModel] {
        try await calling { [core] in try await core.models() }.map(ShelvedModel.init)
    }

    /// Bytes that loaded models use.
    public var used: UInt64 {
        get throws(ExoError) { try calling { try core.used() } }
    }

    /// Memory is short: loaded models give back what they can, and nothing more is offered to the cluster. Say it again
    /// while it is short; a minute after the last time all of it is taken back.
    ///
    /// A node that was given this host and a ``Platform/lifecycle`` does it by itself. This is for apps without one.
    @discardableResult
    public func relieve() async throws(ExoError) -> [ModelRelief] {
        try await calling { [core] in try await core.relieve() }.map(ModelRelief.init)
    }

    // MARK: Fetching

    /// Fetches a model into the ``Options/directory``, or goes on where an earlier download stopped: also one before the
    /// app was closed. Nothing happens until somebody loops over it.
    ///
    /// - Parameters:
    ///   - model: What it is called, such as `mlx-community/Qwen3-0.6B-4bit`.
    ///   - fetcher: The app's HTTP client.
    ///   - base: A server with Hugging Face's addresses; Hugging Face itself if left out.
    ///   - token: For models that are not for everybody. It never goes over plain HTTP to another machine.
    public func fetch(
        _ model: String, with fetcher: any Fetcher = URLSessionFetcher(), from base: String? = nil, token: String? = nil
    ) -> ModelFetching {
        ModelFetching { [self] in
            let options = ExoMobileCore.FetchOptions(base: base, token: token)
            let core = try core.fetch(model: model, fetcher: AskedFetcher(fetcher), options: options)
            return Pulled(core, of: self, FetchProgress.init)
        }
    }

    /// Takes a model off the disk, with what came of it so far. Whether there was anything. One that is loaded stays: this
    /// throws an error of the kind ``ExoError/Kind/invalidArgument``.
    @discardableResult
    public func delete(_ model: String) async throws(ExoError) -> Bool {
        try await calling { [core] in try await core.delete(model: model) }
    }

    // MARK: Loading

    /// Loads a model, or shares it with whoever has it loaded. `progress` hears of each step, in this task.
    ///
    /// A task that is cancelled lets go of the model, and this throws an error of the kind ``ExoError/Kind/cancelled``.
    public func load(
        _ model: String, progress: (@Sendable (LoadProgress) -> Void)? = nil
    ) async throws(ExoError) -> LoadedModel {
        let loading = try calling { try core.load(model: model) }
        do {
            let loaded = try await withTaskCancellationHandler {
                while let step = try await loading.next() { progress?(LoadProgress(step)) }
                return try loading.model()
            } onCancel: {
                try? loading.cancel()
            }
            return try LoadedModel(loaded, of: self)
        } catch {
            // Whoever asks a load that was cancelled hears that it is closed.
            if Task.isCancelled { throw ExoError(.cancelled, "the load was cancelled") }
            throw ExoError(error)
        }
    }

    // MARK: The cluster

    /// Lets the cluster have these models and no others; none at all with an empty list. Holds at once, for every node
    /// that was given this host.
    public func offer(_ models: [String]) throws(ExoError) {
        try calling { try core.offer(models: models) }
    }

    /// The models that the cluster may have.
    public var offered: [String] {
        get throws(ExoError) { try calling { try core.offered() } }
    }

    /// Lets the cluster bring models here: what exo places on this device and is not there is fetched, but never over a
    /// network that costs money. That is off until somebody says so.
    ///
    /// - Parameters:
    ///   - fetcher: The app's HTTP client; none to fetch nothing for the cluster any more.
    ///   - base: A server with Hugging Face's addresses; Hugging Face itself if left out.
    ///   - token: For models that are not for everybody.
    ///   - anyModel: Whether models may come that were not offered, if there is room for them.
    public func fetchForCluster(
        with fetcher: (any Fetcher)?, from base: String? = nil, token: String? = nil, anyModel: Bool = false
    ) throws(ExoError) {
        let options = ExoMobileCore.FetchOptions(base: base, token: token)
        try calling {
            try core.fetchForCluster(fetcher: fetcher.map(AskedFetcher.init), options: options, anyModel: anyModel)
        }
    }

    // MARK: The end

    /// Lets go of all models; a second time does nothing. Whoever waits for an answer gets an error of the kind
    /// ``ExoError/Kind/closed``. It waits for the step that is being computed: better not on the main actor.
    public func close() {
        try? core.shut()
    }
}

/// A model as it lies on this device.
public struct ShelvedModel: Sendable, Equatable, Identifiable {
    /// What it is called, such as `mlx-community/Qwen3-0.6B-4bit`.
    public let id: String
    /// Bytes of its files.
    public let bytes: UInt64
    /// Bytes of memory that it uses, or would use if it were loaded now; none if it cannot be.
    public let memory: UInt64?
    /// Why it cannot be loaded, for people.
    public let refusal: String?
    /// Whether it is loaded.
    public let isLoaded: Bool
    /// Whether the cluster may have it.
    public let isOffered: Bool

    init(_ model: ExoMobileCore.ShelvedModel) {
        id = model.id
        bytes = model.bytes
        memory = model.memory
        refusal = model.refusal
        isLoaded = model.isLoaded
        isOffered = model.isOffered
    }
}

/// What a model did when memory was short.
public struct ModelRelief: Sendable, Equatable {
    /// Which.
    public let model: String
    /// What it did, for people.
    public let what: String
    /// Bytes that went back to the system.
    public let freed: UInt64

    init(_ relief: ExoMobileCore.ModelRelief) {
        model = relief.model
        what = relief.what
        freed = relief.freed
    }
}

/// How far a load is.
public struct LoadProgress: Sendable, Equatable {
    /// Layers that are there.
    public let layers: Int
    /// All of its layers.
    public let of: Int

    init(_ progress: ExoMobileCore.LoadProgress) {
        layers = Int(progress.layers)
        of = Int(progress.of)
    }
}

/// The core counts such things with 32 bits and without a sign.
func counted(_ number: Int, _ what: String) throws(ExoError) -> UInt32 {
    guard let number = UInt32(exactly: number) else {
        throw ExoError(.invalidArgument, "\(what) is \(number); it must be between 0 and \(UInt32.max)")
    }
    return number
}
