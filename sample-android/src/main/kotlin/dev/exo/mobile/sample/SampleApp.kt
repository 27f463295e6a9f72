package dev.exo.mobile.sample

import android.app.Application
import android.content.Context
import dev.exo.mobile.Exo
import dev.exo.mobile.ExoException
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.sample.words.Wishes
import kotlinx.coroutines.MainScope

/** What outlives every screen: what the owner wants, and what is known of the node. The node itself lives in the service. */
open class SampleApp : Application() {
    val settings by lazy { Settings(getSharedPreferences("settings", Context.MODE_PRIVATE)) }
    val watch by lazy { NodeWatch(this, MainScope()) }

    /** The best that the phone has. */
    open val gpu: GpuOptions = GpuOptions()

    override fun onCreate() {
        super.onCreate()
        ExoNodeService.notification = SampleNotification
    }

    /** Joins as the owner wishes, while a screen of ours is shown. What Android has against it is shown like any other fault. */
    fun join() {
        try {
            ExoNodeService.start(this, options(settings.wishes))
        } catch (refused: ExoException) {
            watch.refused(refused)
        }
    }

    /** A link that was kept may be one that a newer version does not read any more. Then it is as if there were none. */
    protected open fun options(wishes: Wishes): JoinOptions =
        wishes.options(
            wishes.link?.let { link ->
                try {
                    Exo.readLink(link)
                } catch (_: ExoException) {
                    null
                }
            },
        )

    fun leave(): Unit = ExoNodeService.stop()

    /** Keeps what the owner wants now. Rules hold at once; a name and a link with the next join. */
    fun wish(wishes: Wishes) {
        settings.wishes = wishes
        try {
            ExoNodeService.node.value?.setPolicy(wishes.policy)
        } catch (_: ExoException) {
            // The node has just ended. The next one is told when it joins.
        }
    }
}
