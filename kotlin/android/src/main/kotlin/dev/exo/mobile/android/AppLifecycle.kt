package dev.exo.mobile.android

import android.content.Context
import android.util.Log
import dev.exo.mobile.AppLife
import dev.exo.mobile.ExoException
import dev.exo.mobile.Group
import dev.exo.mobile.Lifecycle

/**
 * Tells the library when the app comes to the screen and goes, and what the system says of heat, battery, network and memory as
 * soon as it says so. Nothing is polled, and nothing stays registered after [unwatch].
 *
 * One node at a time: a second one takes the first one's place.
 */
public class AppLifecycle(
    context: Context,
) : Lifecycle {
    private val app = context.ofApplication()
    private var watches: List<Watch> = emptyList()

    override fun watch(life: AppLife): Unit = watch(life::shown, life::noticed)

    @Synchronized
    internal fun watch(
        shown: (Boolean) -> Unit,
        noticed: (Set<Group>) -> Unit,
    ) {
        unwatch()
        val notice = { group: Group -> tell { noticed(setOf(group)) } }
        watches =
            listOf(
                ScreenWatch(app) { tell { shown(it) } },
                HeatWatch(app) { notice(Group.THERMAL) },
                BatteryWatch(app) { notice(Group.BATTERY) },
                NetworkWatch(app) { notice(Group.NETWORK) },
                MemoryWatch(app) { notice(Group.MEMORY) },
            )
        watches.forEach(::begin)
    }

    /** What Android refuses to tell by itself, the probe sees when it is its turn. The other watches begin all the same. */
    private fun begin(watch: Watch) {
        try {
            watch.start()
        } catch (refused: RuntimeException) {
            Log.w(logTag("lifecycle"), "${watch::class.java.simpleName} is not told by Android: $refused")
        }
    }

    @Synchronized
    override fun unwatch() {
        watches.forEach(Watch::stop)
        watches = emptyList()
    }

    /** Android calls us on its main thread, where an exception would end the app. A node that is busy looks later by itself. */
    private inline fun tell(what: () -> Unit) {
        try {
            what()
        } catch (busy: ExoException) {
            Log.w(logTag("lifecycle"), "the node was not told: ${busy.message}")
        }
    }
}

/** One thing that is registered with the system between [start] and [stop]. */
internal interface Watch {
    fun start()

    fun stop()
}
