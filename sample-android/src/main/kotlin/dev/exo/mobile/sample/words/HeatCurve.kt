package dev.exo.mobile.sample.words

import dev.exo.mobile.Condition
import dev.exo.mobile.HeatUnit
import dev.exo.mobile.Outlook
import dev.exo.mobile.valueOrNull
import kotlin.math.ceil
import kotlin.math.floor
import kotlin.math.max
import kotlin.math.min
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.Instant

/** What the sensor said over the last minutes, in one unit. */
data class HeatHistory(
    val unit: HeatUnit? = null,
    val points: List<Point> = emptyList(),
) {
    data class Point(
        val at: Instant,
        val value: Double,
    )

    /** With what [condition] says at [now]. A sensor that begins to tell in another unit begins a new history. */
    fun with(
        now: Instant,
        condition: Condition,
    ): HeatHistory {
        val unit = condition.heat.outlook?.unit ?: return this
        val value = condition.valueIn(unit) ?: return this
        val kept = if (unit == this.unit) points.filter { now - it.at <= KEPT && now - it.at >= EVERY } else emptyList()
        return HeatHistory(unit, kept + Point(now, value))
    }

    private companion object {
        val KEPT = 5.minutes
        val EVERY = 1.seconds
    }
}

private fun Condition.valueIn(unit: HeatUnit): Double? =
    when (unit) {
        HeatUnit.CELSIUS -> {
            readings.thermal.temperature.valueOrNull
        }

        HeatUnit.HEADROOM -> {
            readings.thermal.headroom.valueOrNull
        }

        HeatUnit.LEVELS -> {
            readings.thermal.status.valueOrNull
                ?.ordinal
                ?.toDouble()
        }
    }

/**
 * A history and its forecast, laid out for a chart: times in seconds from now, past ones below zero.
 *
 * @property past From when on.
 * @property low The lowest value that the chart shows.
 * @property high The highest.
 */
data class HeatCurve(
    val points: List<Spot>,
    val forecast: Forecast,
    val past: Duration,
    val low: Double,
    val high: Double,
    val labels: Pair<String, String>,
) {
    data class Spot(
        val seconds: Double,
        val value: Double,
    )

    data class Forecast(
        val seconds: Double,
        val mean: Double,
        val low: Double,
        val high: Double,
    )
}

/** Null until there is anything to draw. */
fun heatCurve(
    history: HeatHistory,
    outlook: Outlook?,
): HeatCurve? {
    val last = history.points.lastOrNull()
    if (last == null || outlook == null || outlook.unit != history.unit) return null
    val spots = history.points.map { HeatCurve.Spot((it.at - last.at).inWholeMilliseconds / 1000.0, it.value) }
    val past = PASTS.first { it >= last.at - history.points.first().at || it == PASTS.last() }
    val grain = if (outlook.unit == HeatUnit.HEADROOM) 0.1 else 1.0
    val least = min(outlook.low, spots.minOf { it.value })
    val most = max(outlook.high, spots.maxOf { it.value })
    val low = (floor(least / grain) - 1) * grain
    val high = max((ceil(most / grain) + 1) * grain, low + SMALLEST * grain)
    return HeatCurve(
        spots,
        HeatCurve.Forecast(outlook.horizon.inWholeMilliseconds / 1000.0, outlook.mean, outlook.low, outlook.high),
        past,
        low,
        high,
        heat(high, outlook.unit) to heat(low, outlook.unit),
    )
}

/** A value of the sensor, as people say it. */
fun heat(
    value: Double,
    unit: HeatUnit,
): String =
    when (unit) {
        HeatUnit.CELSIUS -> celsius(value)
        HeatUnit.HEADROOM -> "${percent(value)} of the limit"
        HeatUnit.LEVELS -> "level ${value.toInt()}"
    }

private val PASTS = listOf(1.minutes, 2.minutes, 5.minutes)

/** So many grains at least, or noise would look like a mountain. */
private const val SMALLEST = 6
