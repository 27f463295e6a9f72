package dev.exo.mobile.sample.words

import java.util.Locale
import kotlin.math.floor
import kotlin.math.roundToInt
import kotlin.time.Duration

// Figures as people read them. English, like all words of this app.

/** A figure and its unit stay on one line. */
private const val BESIDE = '\u00A0'

/** Bytes of memory, as makers count and call them: 64 GB are 64 times 2^30. */
fun bytes(count: Long): String {
    val giga = count.toDouble() / (1L shl 30)
    return when {
        giga >= 100 || giga == floor(giga) -> "${giga.roundToInt()}${BESIDE}GB"
        giga >= 1 -> String.format(Locale.UK, "%.1f${BESIDE}GB", giga)
        else -> "${(giga * 1024).roundToInt()}${BESIDE}MB"
    }
}

fun percent(part: Double): String = "${(part * 100).roundToInt()}$BESIDE%"

fun celsius(degrees: Double): String = String.format(Locale.UK, "%.1f$BESIDE°C", degrees)

fun minutes(time: Duration): String =
    when {
        time.inWholeSeconds < 90 -> "${time.inWholeSeconds}${BESIDE}s"
        else -> "${(time.inWholeSeconds / 60.0).roundToInt()}${BESIDE}min"
    }

fun counted(
    count: Int,
    one: String,
    many: String = "${one}s",
): String = "$count ${if (count == 1) one else many}"

/** A sentence begins with a capital and ends with a full stop; the library's notes do neither. */
fun sentence(note: String): String =
    note.trim().replaceFirstChar { it.titlecase(Locale.UK) }.let { if (it.isEmpty() || it.last() in ".!?") it else "$it." }
