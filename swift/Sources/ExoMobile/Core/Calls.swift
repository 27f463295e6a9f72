internal import ExoMobileCore
import Foundation

// Every call into the core goes through these two, and every error is translated in one place: `ExoError.init(_:)`.

/// Calls the core.
func calling<Value>(_ call: () throws -> Value) throws(ExoError) -> Value {
    do { return try call() } catch { throw ExoError(error) }
}

/// Calls the core and waits.
func calling<Value: Sendable>(_ call: @Sendable () async throws -> Value) async throws(ExoError) -> Value {
    do { return try await call() } catch { throw ExoError(error) }
}

extension ExoError {
    /// What the bindings throw: the core's own error, or theirs when the core panicked.
    init(_ error: any Error) {
        switch error {
        case let error as ExoError:
            self = error
        case ExoMobileCore.ExoError.Failed(let kind, let reason, let detail, let isRetryable):
            self.init(Kind(kind), reason, detail: detail, isRetryable: isRetryable)
        case is CancellationError:
            self.init(.cancelled, "the call was cancelled")
        default:
            self.init(.fault, "a fault inside the library; report it", detail: error.localizedDescription)
        }
    }

    /// The same for the core, which called code of the app.
    var core: ExoMobileCore.ExoError {
        .Failed(kind: kind.core, reason: reason, detail: detail, isRetryable: isRetryable)
    }
}

/// Runs code of the app for the core. What it throws reaches the core as an error with a kind.
func answering<Value>(_ code: () throws -> Value) throws -> Value {
    do {
        return try code()
    } catch let error as ExoError {
        throw error.core
    } catch {
        throw ExoError(.foreign, "code of the app failed: \(error)").core
    }
}
