package dev.exo.mobile.android

import android.os.BatteryManager
import android.os.PowerManager
import dev.exo.mobile.Group
import dev.exo.mobile.Reading
import dev.exo.mobile.ThermalStatus
import dev.exo.mobile.valueOrNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertSame

/** Heat, as Android calls it. */
@RunWith(RobolectricTestRunner::class)
class ThermalTest {
    @Test
    @Config(sdk = [34, 37])
    fun `the status has Android's names`() {
        val names =
            (PowerManager.THERMAL_STATUS_NONE..PowerManager.THERMAL_STATUS_SHUTDOWN).map { status ->
                shadowOf(system<PowerManager>()).setCurrentThermalStatus(status)
                heat().status.valueOrNull
            }
        assertEquals<List<ThermalStatus?>>(ThermalStatus.entries, names)
    }

    @Test
    @Config(sdk = [26])
    fun `before Android 10 there is no status, and before 11 no headroom`() {
        assertUnavailable(heat().status, "from version 10 on")
        assertUnavailable(heat().headroom, "from version 11 on")
    }

    @Test
    fun `the headroom is asked for once in ten seconds, however often it is read`() {
        var now = 0L
        var asked = 0
        val headroom = Headroom({ now }) { Reading.Measured((++asked).toDouble()) }
        val first = headroom.read()
        now = Headroom.EVERY_MS - 1
        assertSame(first, headroom.read(), "it holds, and is as old as it says")
        now = Headroom.EVERY_MS
        assertEquals(2.0, headroom.read().valueOrNull)
        assertEquals(2, asked)
    }

    @Test
    fun `a headroom that Android does not know is no figure`() {
        assertUnavailable(measured(Float.NaN), "no thermal headroom")
        assertEquals(1.5, measured(1.5f).valueOrNull, "beyond severe throttling")
    }

    @Test
    fun `what breaks while the headroom is asked for is the reason`() =
        assertUnavailable(Headroom({ 0 }) { error("the service died") }.read(), "the service died")

    @Test
    fun `the battery's temperature is an estimate, and says of what`() {
        batterySays(BatteryManager.EXTRA_TEMPERATURE to 314)
        val temperature = assertIs<Reading.Estimated<Double>>(heat().temperature)
        assertEquals(31.4, temperature.value)
        assertEquals(true, "the battery's temperature" in temperature.how)
        batterySays()
        assertUnavailable(heat().temperature, "tells no temperature")
    }

    private fun heat() = AndroidProbe(app).read(setOf(Group.THERMAL)).thermal
}
