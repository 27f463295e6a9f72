package dev.exo.mobile.android

import android.content.Context
import dev.exo.mobile.CpuReadings
import dev.exo.mobile.GpuReadings
import dev.exo.mobile.Group
import dev.exo.mobile.Identity
import dev.exo.mobile.Probe
import dev.exo.mobile.Reading
import dev.exo.mobile.Readings
import java.io.File

/**
 * How an Android device is, by what the system tells every app. No permission is needed but `ACCESS_NETWORK_STATE`.
 *
 * What this Android, or this device, does not tell is unavailable and says why: nothing is guessed.
 *
 * @param models Where models are kept: its disk is the one that counts. The app's own files, if left out.
 */
public class AndroidProbe(
    context: Context,
    private val models: File? = null,
) : Probe {
    private val app = context.ofApplication()
    private val heat by lazy { Heat(app) }

    override fun identity(): Identity = identityOf(app)

    override fun read(wanted: Set<Group>): Readings {
        val charge = if (wanted.any { it in FROM_THE_BATTERY }) Charge.of(app) else null
        val all = Readings()
        return Readings(
            memory = if (Group.MEMORY in wanted) memoryOf(app) else all.memory,
            gpu = if (Group.GPU in wanted) untoldGpu() else all.gpu,
            cpu = if (Group.CPU in wanted) untoldCpu() else all.cpu,
            power = if (Group.POWER in wanted) powerOf(app, charge) else all.power,
            thermal = if (Group.THERMAL in wanted) heat.read(charge) else all.thermal,
            battery = if (Group.BATTERY in wanted) batteryOf(app, charge) else all.battery,
            network = if (Group.NETWORK in wanted) networkOf(app) else all.network,
            disk = if (Group.DISK in wanted) diskOf(models ?: app.filesDir) else all.disk,
        )
    }

    private fun untoldCpu(): CpuReadings {
        val why = Reading.Unavailable("Android keeps the load of its processor from apps")
        return CpuReadings(why, why)
    }

    private fun untoldGpu(): GpuReadings {
        val why = Reading.Unavailable("Android tells apps nothing about its GPU; the driver does once it is opened")
        return GpuReadings(why, why, why, why)
    }

    private companion object {
        /** All of these come with one look at the battery. */
        val FROM_THE_BATTERY = setOf(Group.BATTERY, Group.POWER, Group.THERMAL)
    }
}

/** One reading. What the system throws meanwhile is the reason why it cannot be had. */
internal inline fun <T : Any> look(at: () -> Reading<T>): Reading<T> =
    try {
        at()
    } catch (refused: SecurityException) {
        Reading.Unavailable("Android does not allow it: ${refused.message}")
    } catch (broken: RuntimeException) {
        Reading.Unavailable("Android failed: $broken")
    }

/** What the reason is where a whole service of the system is missing, as on some small devices. */
internal fun missing(service: String) = Reading.Unavailable("this device has no $service")
