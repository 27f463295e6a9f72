package dev.exo.mobile.android

import android.content.Intent
import android.os.BatteryManager
import android.os.PowerManager
import dev.exo.mobile.Group
import dev.exo.mobile.Reading
import dev.exo.mobile.valueOrNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs

/** The battery, and what it says of the power that the device draws. */
@RunWith(RobolectricTestRunner::class)
class BatteryTest {
    @Test
    fun `the level is a part of the battery's own scale`() {
        batterySays(BatteryManager.EXTRA_LEVEL to 42, BatteryManager.EXTRA_SCALE to 200)
        assertEquals(0.21, battery().level.valueOrNull)
        batterySays()
        assertUnavailable(battery().level, "level of -1")
    }

    @Test
    fun `charging is what the status says, not what the plug promises`() {
        fun charging(
            status: Int,
            plugged: Int,
        ): Boolean? {
            batterySays(BatteryManager.EXTRA_STATUS to status, BatteryManager.EXTRA_PLUGGED to plugged)
            return battery().charging.valueOrNull
        }
        val usb = BatteryManager.BATTERY_PLUGGED_USB
        assertEquals(true, charging(BatteryManager.BATTERY_STATUS_CHARGING, usb))
        assertEquals(true, charging(BatteryManager.BATTERY_STATUS_FULL, usb))
        assertEquals(true, charging(BatteryManager.BATTERY_STATUS_NOT_CHARGING, usb), "held at 80 percent")
        assertEquals(false, charging(BatteryManager.BATTERY_STATUS_NOT_CHARGING, 0))
        assertEquals(false, charging(BatteryManager.BATTERY_STATUS_DISCHARGING, usb), "a plug that is too weak")
        assertEquals(null, charging(BatteryManager.BATTERY_STATUS_UNKNOWN, usb))
    }

    @Test
    fun `the owner may want to save power`() {
        assertEquals(Reading.Measured(false).value, battery().powerSave.valueOrNull)
        shadowOf(system<PowerManager>()).setIsPowerSaveMode(true)
        assertEquals(true, battery().powerSave.valueOrNull)
    }

    @Test
    fun `a device without a battery has no figures of one`() {
        @Suppress("DEPRECATION")
        app.sendStickyBroadcast(Intent(Intent.ACTION_BATTERY_CHANGED).putExtra(BatteryManager.EXTRA_PRESENT, false))
        assertUnavailable(battery().level, "no battery")
        assertUnavailable(battery().charging, "no battery")
        assertUnavailable(power(), "no battery")
    }

    @Test
    fun `before Android said anything nothing is known`() = assertUnavailable(battery().level, "nothing of the battery yet")

    @Test
    fun `while the battery is drained, its current by its voltage is what the device draws`() {
        drains(microamperes = -512_000)
        val power = assertIs<Reading.Estimated<Double>>(power())
        assertEquals(2.048, power.value, 1e-9)
        assertContains(power.how, "512 mA")
        drains(microamperes = 512_000)
        assertEquals(2.048, power().valueOrNull!!, 1e-9, "the sign is the maker's taste")
    }

    @Test
    fun `no current, an odd one, or one that goes into the battery is not taken for a power`() {
        drains(microamperes = Int.MIN_VALUE)
        assertUnavailable(power(), "does not measure its current")
        drains(microamperes = -512)
        assertUnavailable(power(), "too little")
        batterySays(BatteryManager.EXTRA_STATUS to BatteryManager.BATTERY_STATUS_CHARGING)
        assertUnavailable(power(), "only while the battery is drained")
    }

    private fun drains(microamperes: Int) {
        batterySays(
            BatteryManager.EXTRA_STATUS to BatteryManager.BATTERY_STATUS_DISCHARGING,
            BatteryManager.EXTRA_VOLTAGE to 4_000,
        )
        shadowOf(system<BatteryManager>()).setIntProperty(BatteryManager.BATTERY_PROPERTY_CURRENT_NOW, microamperes)
    }

    private fun battery() = AndroidProbe(app).read(setOf(Group.BATTERY)).battery

    private fun power() = AndroidProbe(app).read(setOf(Group.POWER)).power
}
