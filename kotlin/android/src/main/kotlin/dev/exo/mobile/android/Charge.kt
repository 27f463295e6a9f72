package dev.exo.mobile.android

import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.os.BatteryManager
import android.os.PowerManager
import dev.exo.mobile.BatteryReadings
import dev.exo.mobile.Reading

/** What the system last said of the battery. It keeps that for whoever asks: nothing is registered and nothing is woken. */
internal class Charge(
    private val said: Intent,
) {
    private val status = said.getIntExtra(BatteryManager.EXTRA_STATUS, BatteryManager.BATTERY_STATUS_UNKNOWN)

    /** A television has none. */
    val isThere: Boolean get() = said.getBooleanExtra(BatteryManager.EXTRA_PRESENT, true)

    val isDischarging: Boolean get() = status == BatteryManager.BATTERY_STATUS_DISCHARGING

    val volts: Double? get() = said.getIntExtra(BatteryManager.EXTRA_VOLTAGE, 0).takeIf { it > 0 }?.let { it / 1_000.0 }

    fun level(): Reading<Double> {
        val level = said.getIntExtra(BatteryManager.EXTRA_LEVEL, -1)
        val scale = said.getIntExtra(BatteryManager.EXTRA_SCALE, -1)
        return if (level in 0..scale && scale > 0) {
            Reading.Measured(level.toDouble() / scale)
        } else {
            Reading.Unavailable("Android says a level of $level of $scale")
        }
    }

    /** Being charged, or full, or held below full by choice while the mains carry the device. */
    fun charging(): Reading<Boolean> =
        when (status) {
            BatteryManager.BATTERY_STATUS_CHARGING, BatteryManager.BATTERY_STATUS_FULL -> Reading.Measured(true)
            BatteryManager.BATTERY_STATUS_NOT_CHARGING -> Reading.Measured(isPlugged)
            BatteryManager.BATTERY_STATUS_DISCHARGING -> Reading.Measured(false)
            else -> Reading.Unavailable("Android does not know whether the battery is being charged")
        }

    fun temperature(): Reading<Double> {
        val tenths = said.getIntExtra(BatteryManager.EXTRA_TEMPERATURE, 0)
        return when {
            !isThere -> {
                noBattery()
            }

            // Some devices have no such sensor and say 0 for ever.
            tenths == 0 -> {
                Reading.Unavailable("the battery tells no temperature")
            }

            else -> {
                Reading.Estimated(
                    tenths / 10.0,
                    "the battery's temperature: Android tells apps no other, and the chip is hotter",
                )
            }
        }
    }

    private val isPlugged get() = said.getIntExtra(BatteryManager.EXTRA_PLUGGED, 0) != 0

    companion object {
        fun of(context: Context): Charge? =
            context.registerReceiver(null, IntentFilter(Intent.ACTION_BATTERY_CHANGED))?.let(::Charge)
    }
}

internal fun batteryOf(
    context: Context,
    charge: Charge?,
): BatteryReadings =
    BatteryReadings(
        level = charge.ask { level() },
        charging = charge.ask { charging() },
        powerSave =
            look {
                val power = context.getSystemService(PowerManager::class.java)
                if (power == null) missing("PowerManager") else Reading.Measured(power.isPowerSaveMode)
            },
    )

/** The question, where there is a battery to ask. */
internal inline fun <T : Any> Charge?.ask(question: Charge.() -> Reading<T>): Reading<T> =
    when {
        this == null -> Reading.Unavailable("Android said nothing of the battery yet")
        !isThere -> noBattery()
        else -> question()
    }

internal fun noBattery() = Reading.Unavailable("this device has no battery")
