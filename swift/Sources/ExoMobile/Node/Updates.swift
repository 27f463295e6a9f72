internal import ExoMobileCore

/// Values that change while the node lives: the one that holds now, then each newer one. Old values are not kept for who
/// is slow.
///
/// ```swift
/// for try await state in node.states { render(state) }
/// ```
/// Each loop is a stream of its own. It ends when the node is over or the task is cancelled, and throws only if it was
/// begun after the node was closed.
public struct Updates<Element: Sendable>: AsyncSequence, Sendable {
    /// A stream of the core: what pulls it and what wakes who waits.
    struct Source: Sendable {
        /// Held while the loop runs: without it, a node that is used for nothing else would be gone.
        let owner: any AnyObject & Sendable
        let next: @Sendable () async throws -> Element?
        let cancel: @Sendable () -> Void
    }

    private let open: @Sendable () throws -> Source

    init(_ open: @escaping @Sendable () throws -> Source) {
        self.open = open
    }

    /// Begins the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: Result { try open() }.mapError { ExoError($0) })
    }

    /// One run through the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Result<Source, ExoError>

        /// The next value; none when the node is over or the task was cancelled. What it throws is an ``ExoError``.
        public mutating func next() async throws -> Element? {
            let source = try source.get()
            // Cancelling a task does not reach the core by itself.
            return try await withTaskCancellationHandler {
                try await calling(source.next)
            } onCancel: {
                source.cancel()
            }
        }
    }
}

/// UniFFI has no generics, so the core's streams share a shape and not a type.
protocol CoreStream: AnyObject, Sendable {
    associatedtype Value
    func next() async throws -> Value?
    func cancel() throws
}

extension ExoMobileCore.StateStream: CoreStream {}
extension ExoMobileCore.ClusterStream: CoreStream {}
extension ExoMobileCore.SearchStream: CoreStream {}
extension ExoMobileCore.TroubleStream: CoreStream {}
extension ExoMobileCore.ConditionStream: CoreStream {}
extension ExoMobileCore.TelemetryStream: CoreStream {}

extension Updates {
    /// The core's stream, with its values converted.
    init<Owner: AnyObject & Sendable, Stream: CoreStream>(
        of owner: Owner, _ open: @escaping @Sendable (Owner) throws -> Stream,
        _ convert: @escaping @Sendable (Stream.Value) -> Element
    ) {
        self.init {
            let stream = try open(owner)
            let next: @Sendable () async throws -> Element? = { try await stream.next().map(convert) }
            return Source(owner: owner, next: next, cancel: { try? stream.cancel() })
        }
    }
}
