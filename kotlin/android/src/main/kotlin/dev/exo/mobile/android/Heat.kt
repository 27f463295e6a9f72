package dev.exo.mobile.android

import android.content.Context
import android.os.Build
import android.os.PowerManager
import android.os.SystemClock
import dev.exo.mobile.Reading
import dev.exo.mobile.ThermalReadings
import dev.exo.mobile.ThermalStatus

/** Heat, as Android calls it: a status in words, and how far severe throttling is. */
internal class Heat(
    context: Context,
    headroom: Headroom? = null,
) {
    private val power: PowerManager? = context.getSystemService(PowerManager::class.java)
    private val headroom = headroom ?: headroomOf(power)

    fun read(charge: Charge?) =
        ThermalReadings(temperature = charge.ask { temperature() }, status = status(), headroom = headroom.read())

    private fun status(): Reading<ThermalStatus> =
        when {
            power == null -> missing("PowerManager")
            Build.VERSION.SDK_INT < Build.VERSION_CODES.Q -> Reading.Unavailable("Android has a status from version 10 on")
            else -> look { named(power.currentThermalStatus) }
        }

    /** Android counts from 0, in the order of our names. */
    private fun named(status: Int): Reading<ThermalStatus> =
        ThermalStatus.entries.getOrNull(status)?.let { Reading.Measured(it) }
            ?: Reading.Unavailable("Android says a thermal status of $status, which has no name yet")
}

private fun headroomOf(power: PowerManager?) =
    when {
        power == null -> {
            Headroom { missing("PowerManager") }
        }

        Build.VERSION.SDK_INT < Build.VERSION_CODES.R -> {
            Headroom { Reading.Unavailable("Android has a thermal headroom from version 11 on") }
        }

        else -> {
            Headroom { measured(power.getThermalHeadroom(0)) }
        }
    }

internal fun measured(headroom: Float): Reading<Double> =
    if (headroom.isNaN()) {
        Reading.Unavailable("the device knows no thermal headroom, or somebody in this app asked for it too often")
    } else {
        Reading.Measured(headroom.toDouble())
    }

/**
 * The thermal headroom, asked for as often as Android allows: who asks more than once in ten seconds may get no answer. Until
 * then the last reading holds, and its time says how old it is.
 */
internal class Headroom(
    private val clock: () -> Long = SystemClock::elapsedRealtime,
    private val ask: () -> Reading<Double>,
) {
    private var last: Reading<Double>? = null
    private var askedAt = 0L

    @Synchronized
    fun read(): Reading<Double> {
        val now = clock()
        return last?.takeIf { now - askedAt < EVERY_MS } ?: look(ask).also {
            last = it
            askedAt = now
        }
    }

    companion object {
        const val EVERY_MS = 10_000L
    }
}
