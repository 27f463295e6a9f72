package dev.exo.mobile.android

import android.content.Context
import android.os.BatteryManager
import dev.exo.mobile.Reading
import kotlin.math.abs
import kotlin.math.roundToInt

/**
 * Watts that the device draws, while it draws them from the battery alone: the battery's current by its voltage. While it is
 * plugged in, the current is what goes into the battery and says nothing of the device.
 */
internal fun powerOf(
    context: Context,
    charge: Charge?,
): Reading<Double> =
    charge.ask {
        val volts = volts
        when {
            !isDischarging -> Reading.Unavailable("only while the battery is drained is its current what the device draws")
            volts == null -> Reading.Unavailable("the battery tells no voltage")
            else -> look { draw(context, volts) }
        }
    }

private fun draw(
    context: Context,
    volts: Double,
): Reading<Double> {
    val battery = context.getSystemService(BatteryManager::class.java) ?: return missing("BatteryManager")
    val microamperes = battery.getIntProperty(BatteryManager.BATTERY_PROPERTY_CURRENT_NOW)
    return when {
        microamperes == Int.MIN_VALUE || microamperes == 0 -> {
            Reading.Unavailable("the device does not measure its current")
        }

        // Android asks for microamperes and some devices say milliamperes. No device that runs our code draws this little.
        abs(microamperes) < LEAST_MICROAMPERES -> {
            Reading.Unavailable("a current of $microamperes: too little to be in the microamperes that Android asks for")
        }

        // Whether a current out of the battery is above or below zero is the maker's taste.
        else -> {
            val amperes = abs(microamperes.toDouble()) / 1_000_000
            val milliamperes = (amperes * 1_000).roundToInt()
            Reading.Estimated(amperes * volts, "the battery's current ($milliamperes mA) by its voltage ($volts V)")
        }
    }
}

private const val LEAST_MICROAMPERES = 10_000
