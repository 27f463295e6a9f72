package dev.exo.mobile.sample.chat

import dev.exo.mobile.ExoException
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.ModelHost
import dev.exo.mobile.ModelHostOptions
import dev.exo.mobile.ShelvedModel
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Mutex
import kotlinx.coroutines.sync.withLock
import java.io.File

/**
 * The models of this phone, as far as anybody has looked.
 *
 * @property models Null until somebody has.
 * @property fault Why they cannot be used at all.
 */
data class Shelf(
    val models: List<ShelvedModel>? = null,
    val fault: String? = null,
)

/** The one host of models that the app has: its chat and the cluster share it, so a model is loaded once. */
class ModelShelf(
    private val directory: File,
    private val gpu: GpuOptions,
    private val scope: CoroutineScope,
    private val offered: () -> Set<String> = { emptySet() },
) {
    private val opening = Mutex()
    private val all = MutableStateFlow(Shelf())

    val seen: StateFlow<Shelf> = all.asStateFlow()

    /** The host, once it is open. */
    var host: ModelHost? = null
        private set

    /** Looks which models there are. The owner may have put one there meanwhile. */
    fun look() {
        scope.launch { opened() }
    }

    /** Opens the host, if nobody has yet. Null if that cannot be done; [seen] says why. */
    suspend fun opened(): ModelHost? =
        opening.withLock {
            try {
                val host = host ?: ModelHost.open(ModelHostOptions(directory, gpu)).also { host = it }
                host.offer(offered())
                val models = host.models()
                all.update { Shelf(models) }
                host
            } catch (fault: ExoException) {
                all.update { it.copy(fault = fault.message) }
                host
            }
        }

    fun close() {
        host?.close()
        host = null
    }
}
