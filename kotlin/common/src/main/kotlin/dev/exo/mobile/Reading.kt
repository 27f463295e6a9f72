package dev.exo.mobile

import kotlin.time.Clock
import kotlin.time.Instant

/**
 * A value with its provenance. Nothing is invented: what cannot be had is [Unavailable], never 0 or a guess.
 *
 * @property at When it was read.
 */
public sealed interface Reading<out T : Any> {
    public val at: Instant

    /**
     * A sensor or the system said so.
     *
     * @property value What.
     */
    public data class Measured<out T : Any>(
        public val value: T,
        override val at: Instant = Clock.System.now(),
    ) : Reading<T>

    /**
     * It was computed from something else.
     *
     * @property value What came of it.
     * @property how From what, and how.
     */
    public data class Estimated<out T : Any>(
        public val value: T,
        public val how: String,
        override val at: Instant = Clock.System.now(),
    ) : Reading<T>

    /**
     * It cannot be had.
     *
     * @property why The reason, for people.
     */
    public data class Unavailable(
        public val why: String,
        override val at: Instant = Clock.System.now(),
    ) : Reading<Nothing>
}

/** The value; null if it cannot be had. */
public val <T : Any> Reading<T>.valueOrNull: T?
    get() =
        when (this) {
            is Reading.Measured -> value
            is Reading.Estimated -> value
            is Reading.Unavailable -> null
        }
