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
    private let open: @Sendable () throws -> Pulled<Element>

    /// Begins the stream.
    public func makeAsyncIterator() -> Iterator {
        Iterator(source: Result { try open() }.mapError { ExoError($0) })
    }

    /// One run through the values.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let source: Result<Pulled<Element>, ExoError>

        /// The next value; none when the node is over or the task was cancelled. What it throws is an ``ExoError``.
        public mutating func next() async throws -> Element? { try await source.get().pull() }
    }
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
        self.open = { Pulled(try open(owner), of: owner, convert) }
    }
}
