package dev.exo.mobile

/**
 * The one exception of this library. `CancellationException` is the only other that its calls let through.
 *
 * Code of the app that the library calls ([Probe], [KeyStore] and so on) may throw it too: its [kind] and its [message] are
 * kept. So a [DiscoveryProvider] that may not search says so with the kind `NOT_PERMITTED`.
 *
 * @property kind What to do about it. Stable: names are added, never changed.
 * @property message What happened and what helps, for people.
 * @property detail More, for developers; may be empty.
 * @property isRetryable Whether the same call may succeed later, unchanged.
 */
public class ExoException(
    public val kind: ErrorKind,
    override val message: String,
    public val detail: String = "",
    public val isRetryable: Boolean = kind in RETRYABLE,
    cause: Throwable? = null,
) : RuntimeException(message, cause) {
    /** Whether a permission is missing: ask for it, then call again. */
    public val isPermission: Boolean get() = kind == ErrorKind.NOT_PERMITTED

    /** The kind and the message. */
    override fun toString(): String = "ExoException($kind): $message"

    private companion object {
        private const val serialVersionUID = 1L
        private val RETRYABLE = setOf(ErrorKind.SYSTEM, ErrorKind.UNREACHABLE, ErrorKind.SUSPENDED)
    }
}
