package dev.exo.mobile.sample.words

import dev.exo.mobile.HeatUnit
import org.junit.Test
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds
import kotlin.time.Instant

class HeatCurveTest {
    private val began = Instant.fromEpochSeconds(1_000_000)

    private fun history(vararg seen: Pair<Duration, Double>) =
        seen.fold(HeatHistory()) { history, (after, value) ->
            history.with(began + after, condition(readings(celsius = value), outlook = outlook(value)))
        }

    @Test
    fun `what is older than five minutes is forgotten`() =
        assertEquals(
            listOf(31.0, 32.0),
            history(0.minutes to 30.0, 4.minutes to 31.0, 6.minutes to 32.0).points.map { it.value },
        )

    @Test
    fun `of what is told twice in a second the newest is kept`() =
        assertEquals(
            listOf(30.0, 31.5),
            history(0.seconds to 30.0, 2.seconds to 31.0, 2400.milliseconds to 31.5).points.map {
                it.value
            },
        )

    @Test
    fun `a sensor that changes its unit begins anew`() {
        val headroom = condition(outlook = outlook(0.4, HeatUnit.HEADROOM))
        assertEquals(
            HeatUnit.CELSIUS,
            history(0.seconds to 30.0).with(began + 1.seconds, headroom).unit,
            "it said nothing in it",
        )
    }

    @Test
    fun `times are seconds from the last reading`() {
        val curve = assertNotNull(heatCurve(history(0.seconds to 30.0, 30.seconds to 31.0), outlook(32.0)))
        assertEquals(listOf(HeatCurve.Spot(-30.0, 30.0), HeatCurve.Spot(0.0, 31.0)), curve.points)
        assertEquals(HeatCurve.Forecast(60.0, 32.0, 31.5, 32.5), curve.forecast)
    }

    @Test
    fun `the axis is as long as the history, in steps`() {
        fun past(age: Duration) = heatCurve(history(0.seconds to 30.0, age to 30.0), outlook(30.0))?.past
        assertEquals(listOf(1.minutes, 2.minutes, 5.minutes), listOf(past(20.seconds), past(70.seconds), past(4.minutes)))
    }

    @Test
    fun `all of it is inside, and noise does not fill the chart`() {
        val curve = assertNotNull(heatCurve(history(0.seconds to 30.0, 5.seconds to 30.1), outlook(30.0)))
        assertTrue(curve.low < 29.5 && curve.high > 30.5)
        assertTrue(curve.high - curve.low >= 6)
    }

    @Test
    fun `a forecast in another unit is not drawn`() =
        assertNull(heatCurve(history(0.seconds to 30.0), outlook(0.4, HeatUnit.HEADROOM)))
}
