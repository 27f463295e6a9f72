package dev.exo.mobile

import dev.exo.mobile.core.InternalException
import kotlin.coroutines.cancellation.CancellationException
import dev.exo.mobile.core.ExoException as CoreException

// The one place where exceptions are translated: those of the core on their way to the app (`calling`, `directly`), and
// those of the app's own code on their way to the core (`answering`).

/** Calls the core. */
internal inline fun <T> calling(call: () -> T): T =
    try {
        call()
    } catch (thrown: Exception) {
        throw translated(thrown)
    }

internal fun translated(thrown: Exception): Exception =
    when (thrown) {
        is CancellationException -> thrown
        is CoreException.Failed -> ExoException(thrown.kind, thrown.reason, thrown.detail, thrown.isRetryable, thrown)
        is InternalException -> fault(thrown)
        is IllegalStateException -> if (thrown.saysDestroyed) closed(thrown) else fault(thrown)
        else -> thrown
    }

/** What the bindings say of an object whose reference was given back. */
private val IllegalStateException.saysDestroyed get() = message.orEmpty().endsWith("has already been destroyed")

private fun closed(cause: Exception) =
    ExoException(ErrorKind.CLOSED, "this was closed before the call; open a new one", cause = cause)

private fun fault(cause: Exception) =
    ExoException(
        ErrorKind.FAULT,
        "a fault inside the library: ${cause.message}; please report it",
        detail = cause.stackTraceToString(),
        cause = cause,
    )

/** Calls the core through JNI, which answers with null, or with the number of a kind and with words. */
internal inline fun directly(call: () -> String?) {
    val wrong = call() ?: return
    val kind = wrong.substringBefore(' ').toIntOrNull()?.let { ErrorKind.entries.getOrNull(it - 1) }
    throw ExoException(kind ?: ErrorKind.FAULT, wrong.substringAfter(' '))
}

/**
 * Calls code of the app for the core. Whatever it throws becomes an error there: an `Error` that got as far as the bindings
 * would be taken for an answer.
 */
internal inline fun <T> answering(call: () -> T): T =
    try {
        call()
    } catch (thrown: Throwable) {
        throw foreign(thrown)
    }

internal fun foreign(thrown: Throwable): CoreException =
    when (thrown) {
        is ExoException -> {
            CoreException.Failed(thrown.kind, thrown.message, thrown.detail, thrown.isRetryable)
        }

        else -> {
            CoreException.Failed(
                ErrorKind.FOREIGN,
                "code of the app failed: $thrown",
                detail = thrown.stackTraceToString(),
                isRetryable = false,
            )
        }
    }

/** Ends an object of the core, once or again, from any thread. */
internal inline fun <C : AutoCloseable> C.ended(shut: C.() -> Unit) {
    try {
        calling { shut() }
    } catch (thrown: ExoException) {
        if (thrown.kind != ErrorKind.CLOSED) throw thrown
    } finally {
        close()
    }
}
