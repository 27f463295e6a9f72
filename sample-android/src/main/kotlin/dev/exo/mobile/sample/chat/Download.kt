package dev.exo.mobile.sample.chat

import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.FetchProgress
import dev.exo.mobile.Fetcher
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.launch

/** How a model that the owner asked for goes. */
sealed interface Fetching {
    /** Nothing was asked for, or it is there. */
    data object Idle : Fetching

    /** It comes. How far it is, once that was told. */
    data class Coming(
        val model: String,
        val progress: FetchProgress? = null,
    ) : Fetching

    /** The owner stopped it. What came stays. */
    data class Stopped(
        val model: String,
    ) : Fetching

    /** It did not come. */
    data class Failed(
        val model: String,
        val kind: ErrorKind,
        val reason: String,
    ) : Fetching
}

/** Brings a model to the [shelf], one at a time, through the app's own HTTP client. */
class Download(
    private val shelf: ModelShelf,
    private val scope: CoroutineScope,
    private val fetcher: Fetcher,
) {
    private val all = MutableStateFlow<Fetching>(Fetching.Idle)
    private var fetching: Job? = null

    val stage: StateFlow<Fetching> = all.asStateFlow()

    /** Gets the model, or goes on with it: what came before the app was closed is not asked for again. */
    fun begin(model: String = SMALL) {
        if (all.value is Fetching.Coming) return
        all.value = Fetching.Coming(model)
        fetching =
            scope.launch {
                try {
                    shelf.opened()?.fetch(model, fetcher)?.collect { all.value = Fetching.Coming(model, it) }
                    shelf.opened()
                    all.value = Fetching.Idle
                } catch (fault: ExoException) {
                    all.value = Fetching.Failed(model, fault.kind, fault.message)
                }
            }
    }

    /** The owner changed their mind. What came stays, and the next time goes on from there. */
    fun stop() {
        val coming = all.value as? Fetching.Coming ?: return
        fetching?.cancel()
        all.value = Fetching.Stopped(coming.model)
    }

    companion object {
        /** A good one to begin with. */
        const val SMALL = "mlx-community/Qwen3-0.6B-4bit"
    }
}
