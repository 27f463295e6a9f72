package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.Duration.Companion.days
import kotlin.time.Instant
import kotlin.time.toJavaDuration
import java.time.Duration as JavaDuration

// Numbers on their way to the core and back. There they have no sign; here they have one, as Kotlin's own interfaces do.

private const val MOST = Long.MAX_VALUE

/** Bytes and counts from the core. What does not fit is more than anybody has. */
internal fun ULong.asLong(): Long = coerceAtMost(MOST.toULong()).toLong()

/** Milliseconds since 1970, of the core. */
internal fun ULong.asInstant(): Instant = Instant.fromEpochMilliseconds(asLong())

/** Small counts from the core. */
internal fun UInt.asInt(): Int = coerceAtMost(Int.MAX_VALUE.toUInt()).toInt()

/** Bytes for the core. */
internal fun Long.unsigned(what: String): ULong = if (this >= 0) toULong() else refused(what, "$this")

/** A count for the core. */
internal fun Int.unsigned(what: String): UInt = if (this >= 0) toUInt() else refused(what, "$this")

/** A port for the core. */
internal fun Int.asPort(what: String): UShort = if (this in 0..65_535) toUShort() else refused(what, "$this")

/** A length of time for the core. Longer than a century is for ever. */
internal fun Duration.unsigned(what: String): JavaDuration =
    if (isNegative()) refused(what, "$this") else coerceAtMost(CENTURY).toJavaDuration()

private val CENTURY = 36_525.days

private fun refused(
    what: String,
    value: String,
): Nothing = throw ExoException(ErrorKind.INVALID_ARGUMENT, "$what cannot be $value")
