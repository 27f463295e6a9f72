import ExoMobile
import Foundation
import Observation

/// A model on its way to this phone, one at a time.
@MainActor @Observable
public final class Download {
    /// How it goes.
    public enum Stage: Sendable, Equatable {
        /// Nothing was asked for.
        case idle
        /// A model comes; how far it is, once that was told.
        case coming(String, FetchProgress?)
        /// The owner stopped it. What came stays.
        case stopped(String)
        /// It did not come.
        case failed(String, ExoError)
    }

    /// What the owner writes: which model. A small one to begin with.
    public var typed = "mlx-community/Qwen3-0.6B-4bit"
    /// How it goes.
    public private(set) var stage = Stage.idle

    @ObservationIgnored private let fetcher: any Fetcher
    @ObservationIgnored private var fetching: Task<Void, Never>?

    /// With the system's own HTTP client, unless told otherwise.
    public init(fetcher: any Fetcher = URLSessionFetcher()) {
        self.fetcher = fetcher
    }

    /// Gets the model that was written, or goes on with it; `arrived` when all of it is there.
    func begin(into host: ModelHost, arrived: @escaping @MainActor () async -> Void) {
        let id = typed.trimmingCharacters(in: .whitespacesAndNewlines)
        if case .coming = stage { return }
        guard !id.isEmpty else { return }
        stage = .coming(id, nil)
        fetching = Task { [weak self, fetcher] in
            do {
                for try await progress in host.fetch(id, with: fetcher) { self?.stage = .coming(id, progress) }
                await arrived()
                self?.stage = .idle
            } catch {
                let error = asExoError(error)
                self?.stage = error.kind == .cancelled ? .stopped(id) : .failed(id, error)
            }
        }
    }

    /// Stops it. What came stays, and the same model goes on from there.
    public func stop() { fetching?.cancel() }
}

/// All that this package throws is its own error.
func asExoError(_ error: any Error) -> ExoError {
    error as? ExoError ?? ExoError(.fault, error.localizedDescription)
}
