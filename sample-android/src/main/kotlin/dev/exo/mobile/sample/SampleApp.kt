package dev.exo.mobile.sample

import android.app.Application
import android.content.Context
import dev.exo.mobile.Exo
import dev.exo.mobile.ExoException
import dev.exo.mobile.Fetcher
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.Question
import dev.exo.mobile.UrlFetcher
import dev.exo.mobile.android.AndroidPlatform
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.sample.chat.Chat
import dev.exo.mobile.sample.chat.Download
import dev.exo.mobile.sample.chat.ModelShelf
import dev.exo.mobile.sample.words.Wishes
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.launch

/** What outlives every screen: what the owner wants, and what is known of the node. The node itself lives in the service. */
open class SampleApp : Application() {
    val settings by lazy { Settings(getSharedPreferences("settings", Context.MODE_PRIVATE)) }
    private val scope = MainScope()
    val watch by lazy { NodeWatch(this, scope) }

    val shelf by lazy { ModelShelf(noBackupFilesDir.resolve("models"), computing, scope) { settings.wishes.served } }
    val chat by lazy { Chat(shelf, scope, asking) }
    val download by lazy { Download(shelf, scope, fetcher) }

    /** The best that the phone has. */
    open val gpu: GpuOptions = GpuOptions()

    /** What models are computed on. */
    open val computing: GpuOptions get() = gpu

    /** What brings models: Android's own HTTP client. */
    protected open val fetcher: Fetcher = UrlFetcher()

    /** How an answer is made: as the model's own files say, and not for ever. */
    protected open val asking: Question = Question(emptyList(), maxTokens = 1024)

    override fun onCreate() {
        super.onCreate()
        ExoNodeService.notification = SampleNotification
    }

    /** A model takes more memory than all else here: it goes when nobody sees the chat, and gives some back when it is short. */
    @Suppress("DEPRECATION") // Up to Android 13 a shortage is told while the app is on the screen, too.
    override fun onTrimMemory(level: Int) {
        super.onTrimMemory(level)
        if (level >= TRIM_MEMORY_UI_HIDDEN) chat.letGo()
        // That nobody sees the app is not yet a shortage.
        if (level >= TRIM_MEMORY_RUNNING_LOW && level != TRIM_MEMORY_UI_HIDDEN) relieve()
    }

    @Deprecated("Android calls it still")
    @Suppress("DEPRECATION")
    override fun onLowMemory() {
        super.onLowMemory()
        relieve()
    }

    /** A node has our models, and sees to it by itself. Without one nobody else would. */
    private fun relieve() {
        if (ExoNodeService.node.value != null) return
        scope.launch {
            try {
                shelf.host?.relieve()
            } catch (_: ExoException) {
                // It was closed meanwhile, and holds nothing any more.
            }
        }
    }

    /**
     * Joins as the owner wishes, while a screen of ours is shown. The node gets our models, of which it offers what the owner
     * says: so their host is opened first, if nobody looked at it yet.
     */
    fun join() {
        if (shelf.host == null && shelf.seen.value.fault == null) {
            scope.launch {
                shelf.opened()
                joinNow()
            }
        } else {
            joinNow()
        }
    }

    /** What Android has against it is shown like any other fault. */
    private fun joinNow() {
        try {
            ExoNodeService.start(this, options(settings.wishes), AndroidPlatform.of(this).copy(models = shelf.host))
        } catch (refused: ExoException) {
            watch.refused(refused)
        }
    }

    /** Whether the cluster may ask this model. Holds at once. */
    fun serve(
        model: String,
        isServed: Boolean,
    ) {
        val served = settings.wishes.served
        settings.wishes = settings.wishes.copy(served = if (isServed) served + model else served - model)
        shelf.look()
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
