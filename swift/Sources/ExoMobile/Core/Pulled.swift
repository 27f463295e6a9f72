internal import ExoMobileCore

/// A stream of the core: what pulls it and what wakes who waits. All loops of this package are made of it.
struct Pulled<Element: Sendable>: Sendable {
    /// Held while the loop runs: without it, something that is used for nothing else would be gone.
    let owner: any AnyObject & Sendable
    let next: @Sendable () async throws -> Element?
    let cancel: @Sendable () -> Void

    /// The next value; none at the end, or when the task was cancelled.
    func pull() async throws -> Element? {
        // Cancelling a task does not reach the core by itself.
        try await withTaskCancellationHandler {
            try await calling(next)
        } onCancel: {
            cancel()
        }
    }
}

/// UniFFI has no generics, so the core's streams share a shape and not a type.
protocol CoreStream: AnyObject, Sendable {
    associatedtype Value
    func next() async throws -> Value?
    func cancel() throws
}

extension Pulled {
    /// The core's stream, with its values converted.
    init<Stream: CoreStream>(
        _ stream: Stream, of owner: any AnyObject & Sendable,
        _ convert: @escaping @Sendable (Stream.Value) -> Element
    ) {
        self.init(
            owner: owner, next: { try await stream.next().map(convert) }, cancel: { try? stream.cancel() })
    }
}
