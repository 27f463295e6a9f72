internal import ExoMobileCore

/// A model on its way to this device: how far it is, a few times a second, until all of it is there.
///
/// ```swift
/// for try await progress in host.fetch("mlx-community/Qwen3-0.6B-4bit") {
///     print("\(progress.done) of \(progress.total) bytes")
/// }
/// ```
/// A loop that ends without an error has fetched all of the model. One that is left stops the download, and so does a task
/// that is cancelled: its loop throws an error of the kind ``ExoError/Kind/cancelled``. What came stays on the disk, and the
/// next loop goes on from there.
///
/// Every error is an ``ExoError``: ``ExoError/Kind/notFound`` if the server has no such model,
/// ``ExoError/Kind/notPermitted`` if it wants a token, ``ExoError/Kind/unreachable`` if it does not answer,
/// ``ExoError/Kind/storage`` if there is no room.
public struct ModelFetching: AsyncSequence, Sendable {
    /// One download.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Result<Pulled<FetchProgress>, ExoError>

        /// How far it is now; none once all of it is there. What it throws is an ``ExoError``.
        public mutating func next() async throws -> FetchProgress? { try await source.get().pull() }
    }

    private let begin: @Sendable () throws -> Pulled<FetchProgress>

    init(_ begin: @escaping @Sendable () throws -> Pulled<FetchProgress>) {
        self.begin = begin
    }

    /// Begins the download, or goes on with it.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: Result { try begin() }.mapError { ExoError($0) })
    }
}

/// How far a download is. All zero until the list of files is known.
public struct FetchProgress: Sendable, Equatable {
    /// Bytes that are there.
    public let done: UInt64
    /// Bytes that there will be.
    public let total: UInt64
    /// Of those that are there, how many came in this run.
    public let fresh: UInt64
    /// Files that are there.
    public let filesDone: Int
    /// All files.
    public let files: Int
    /// Bytes a second, over the last seconds.
    public let speed: Double

    init(_ progress: ExoMobileCore.FetchProgress) {
        done = progress.done
        total = progress.total
        fresh = progress.fresh
        filesDone = Int(progress.filesDone)
        files = Int(progress.files)
        speed = progress.speed
    }
}

extension ExoMobileCore.ModelFetching: CoreStream {}
