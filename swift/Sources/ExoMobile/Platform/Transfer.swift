import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// One request on its way, in a session of its own. What the session tells goes on to the receiver on the session's thread,
/// which is held up while there is no room; another request's is not.
final class Transfer: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let head: @Sendable (HTTPURLResponse) throws -> Bool
    private let chunk: @Sendable (Data) throws -> Bool
    private let asked: URLRequest

    private let changed = NSCondition()
    /// Both under `changed`.
    private var outcome: Result<Void, ExoError>?
    private var redirects: Redirects

    init(
        of asked: URLRequest, head: @escaping @Sendable (HTTPURLResponse) throws -> Bool,
        chunk: @escaping @Sendable (Data) throws -> Bool
    ) {
        self.asked = asked
        self.head = head
        self.chunk = chunk
        redirects = Redirects(of: asked)
    }

    /// Blocks until it is over.
    func run() throws(ExoError) {
        let session = URLSession(configuration: .forModels, delegate: self, delegateQueue: .forModels)
        let task = session.dataTask(with: asked)
        task.resume()
        // When the task is over, the session lets go of this.
        session.finishTasksAndInvalidate()
        changed.lock()
        while outcome == nil { changed.wait() }
        let outcome = outcome
        changed.unlock()
        // Does nothing to one that has ended.
        task.cancel()
        try outcome?.get()
    }

    /// It is over, whatever the server still says. Only the first outcome counts.
    func end(_ outcome: Result<Void, ExoError>) {
        changed.withLock {
            self.outcome = self.outcome ?? outcome
            changed.broadcast()
        }
    }

    private var isOver: Bool { changed.withLock { outcome != nil } }

    /// Asks the receiver, and ends with what it says.
    private func isMoreWanted(_ ask: () throws -> Bool) -> Bool {
        guard !isOver else { return false }
        do {
            if try ask() { return true }
            end(.success(()))
        } catch {
            end(.failure(ExoError(error)))
        }
        return false
    }

    // MARK: What the session tells

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        changed.lock()
        defer { changed.unlock() }
        // A task that is being cancelled is told nothing more: Linux's session would end the process.
        guard outcome == nil else { return }
        do throws(ExoError) {
            completionHandler(try redirects.follow(from: response.url, to: request.url))
        } catch {
            outcome = .failure(error)
            changed.broadcast()
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let isWanted = isMoreWanted {
            guard let response = response as? HTTPURLResponse else {
                throw ExoError(.invalidArgument, "\(asked.url?.scheme ?? "this") is not HTTP")
            }
            return try head(response)
        }
        completionHandler(isWanted ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        _ = isMoreWanted { try chunk(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error else { return end(.success(())) }
        let host = asked.url?.host ?? "the server"
        end(.failure(ExoError(.unreachable, "\(host): \(error.localizedDescription)", detail: "\(error)")))
    }
}

extension URLSessionConfiguration {
    /// Nothing is kept: no cache, no cookies, no passwords.
    fileprivate static var forModels: URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        return configuration
    }
}

extension OperationQueue {
    /// One thing after the other.
    fileprivate static var forModels: OperationQueue {
        #if canImport(FoundationNetworking)
            let queue = ShortQueue()
        #else
            let queue = OperationQueue()
        #endif
        queue.maxConcurrentOperationCount = 1
        return queue
    }
}

#if canImport(FoundationNetworking)
    /// Linux's session reads on while its delegate is busy, and keeps all of it in memory. In front of a full queue it waits:
    /// with it the other sessions of the process, since one thread reads for all of them.
    private final class ShortQueue: OperationQueue, @unchecked Sendable {
        /// A piece has 16 KiB at most.
        private let room = DispatchSemaphore(value: 64)

        override func addOperation(_ block: @escaping @Sendable () -> Void) {
            room.wait()
            super.addOperation { [self] in
                room.signal()
                block()
            }
        }
    }
#endif
