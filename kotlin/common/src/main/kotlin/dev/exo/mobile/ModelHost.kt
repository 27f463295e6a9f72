package dev.exo.mobile

import kotlinx.coroutines.flow.Flow
import java.io.File
import dev.exo.mobile.core.FetchOptions as CoreFetchOptions
import dev.exo.mobile.core.FetchProgress as CoreFetchProgress
import dev.exo.mobile.core.LoadProgress as CoreProgress
import dev.exo.mobile.core.ModelFetching as CoreFetching
import dev.exo.mobile.core.ModelHost as CoreHost
import dev.exo.mobile.core.ModelHostOptions as CoreOptions
import dev.exo.mobile.core.ModelRelief as CoreRelief
import dev.exo.mobile.core.ShelvedModel as CoreShelved

/**
 * How a host of models is opened.
 *
 * @property directory Where models lie, each in a folder as exo names it: `mlx-community--Qwen3-0.6B-4bit`.
 * @property gpu Where they are computed. Its `memoryCap` holds for all of them together.
 * @property context Positions of all conversations of a model together. Halved, and halved again, where memory is short.
 */
public data class ModelHostOptions(
    public val directory: File,
    public val gpu: GpuOptions = GpuOptions(),
    public val context: Int = 4096,
)

/**
 * A model as it lies on this device.
 *
 * @property id What it is called, such as `mlx-community/Qwen3-0.6B-4bit`.
 * @property bytes Bytes of its files.
 * @property memory Bytes of memory that it uses, or would use if it were loaded now; null if it cannot be.
 * @property refusal Why it cannot be loaded, for people.
 * @property isLoaded Whether it is loaded.
 * @property isOffered Whether the cluster may have it.
 */
public data class ShelvedModel(
    public val id: String,
    public val bytes: Long,
    public val memory: Long?,
    public val refusal: String?,
    public val isLoaded: Boolean,
    public val isOffered: Boolean,
)

/**
 * How far a load is.
 *
 * @property layers Layers that are there.
 * @property of All of its layers.
 */
public data class LoadProgress(
    public val layers: Int,
    public val of: Int,
)

/**
 * How far a download is. All zero until the list of files is known.
 *
 * @property done Bytes that are there.
 * @property total Bytes that there will be.
 * @property fresh Of those that are there, how many came in this run.
 * @property filesDone Files that are there.
 * @property files All files.
 * @property speed Bytes a second, over the last seconds.
 */
public data class FetchProgress(
    public val done: Long,
    public val total: Long,
    public val fresh: Long,
    public val filesDone: Int,
    public val files: Int,
    public val speed: Double,
)

/**
 * What a model did when memory was short.
 *
 * @property model Which.
 * @property what What it did, for people.
 * @property freed Bytes that went back to the system.
 */
public data class ModelRelief(
    public val model: String,
    public val what: String,
    public val freed: Long,
)

/**
 * The models of this device, and the device that computes them. One is enough for an app: a model is loaded once, whoever
 * wants it.
 *
 * ```kotlin
 * ModelHost.open(ModelHostOptions(context.noBackupFilesDir.resolve("models"))).use { host ->
 *     host.load("mlx-community/Qwen3-0.6B-4bit").use { model -> println(model.answer(Question("What is rain?"))) }
 * }
 * ```
 *
 * Given to a node as [Platform.models], the cluster may ask its models too: those that were [offered][offer] and no others, for
 * as long as the owner's policy allows it.
 *
 * It may be used from any thread. What is used after [close] throws an [ExoException] of the kind `CLOSED`.
 */
public class ModelHost private constructor(
    internal val core: CoreHost,
) : AutoCloseable {
    /** The device that computes. */
    public val device: GpuDevice get() = calling { core.device() }.toGpuDevice()

    /** Bytes that loaded models use. */
    public val used: Long get() = calling { core.used() }.asLong()

    /** The models that the cluster may have. */
    public val offered: Set<String> get() = calling { core.offered() }.toSet()

    /** All models that are on this device, with what each would cost. */
    public suspend fun models(): List<ShelvedModel> = calling { core.models() }.map { it.toShelvedModel() }

    /**
     * Lets the cluster have these [models] and no others; none at all if it is empty, which is how it begins. Holds at once.
     *
     * @throws ExoException of the kind `INVALID_ARGUMENT` for what cannot be the name of a model; then nothing changes.
     */
    public fun offer(models: Set<String>): Unit = calling { core.offer(models.toList()) }

    /**
     * Loads a model, or shares it with whoever has it loaded. [onProgress] is told how far it is, in the caller's own context.
     *
     * Cancelled meanwhile, the load ends and nothing stays in memory. What comes back is the caller's to [close][Model.close].
     *
     * @throws ExoException of the kind `NOT_FOUND` if the model is not on this device, `OUT_OF_MEMORY` if there is no room for
     *   it, `UNSUPPORTED` if it is one that cannot be computed here.
     */
    public suspend fun load(
        model: String,
        onProgress: (LoadProgress) -> Unit = {},
    ): Model {
        val loading = calling { core.load(model) }
        try {
            while (true) {
                onProgress((calling { loading.next() } ?: break).toLoadProgress())
            }
            return Model(calling { loading.model() }, this)
        } finally {
            // A model that was given away is not touched by this.
            loading.ended { cancel() }
        }
    }

    /**
     * Fetches a model into the [directory][ModelHostOptions.directory], or goes on where an earlier download stopped: also one
     * before the app was closed. The flow tells how far it is, a few times a second, and ends when all of it is there. Who stops
     * collecting stops the download; what came stays.
     *
     * @param fetcher The app's HTTP client.
     * @param base A server with Hugging Face's addresses; Hugging Face itself if left out.
     * @param token For models that are not for everybody. It never goes over plain HTTP to another machine.
     *
     * The flow throws an [ExoException] of the kind `NOT_FOUND` if the server has no such model, `NOT_PERMITTED` if it wants a
     * token, `UNREACHABLE` if it does not answer, `STORAGE` if there is no room.
     */
    public fun fetch(
        model: String,
        fetcher: Fetcher = UrlFetcher(),
        base: String? = null,
        token: String? = null,
    ): Flow<FetchProgress> =
        pulled(
            { core.fetch(model, AppFetcher(fetcher), CoreFetchOptions(base, token)) },
            CoreFetching::next,
            CoreFetching::cancel,
        ) { it.toFetchProgress() }

    /**
     * Lets the cluster bring models here: what exo places on this device and is not there is fetched, but never over a network
     * that costs money. That is off until somebody says so.
     *
     * @param fetcher The app's HTTP client; null to fetch nothing for the cluster any more.
     * @param base A server with Hugging Face's addresses; Hugging Face itself if left out.
     * @param token For models that are not for everybody.
     * @param anyModel Whether models may come that were not offered, if there is room for them.
     */
    public fun fetchForCluster(
        fetcher: Fetcher?,
        base: String? = null,
        token: String? = null,
        anyModel: Boolean = false,
    ): Unit = calling { core.fetchForCluster(fetcher?.let(::AppFetcher), CoreFetchOptions(base, token), anyModel) }

    /**
     * Takes a model off the disk, with what came of it so far. Whether there was anything.
     *
     * @throws ExoException of the kind `INVALID_ARGUMENT` if it is loaded.
     */
    public suspend fun delete(model: String): Boolean = calling { core.delete(model) }

    /**
     * Memory is short: loaded models give back what they can, and nothing more is offered to the cluster. Say it again while it is
     * short; a minute after the last time all of it is taken back. What each model did.
     *
     * A node that has this host as [Platform.models] and a [Lifecycle] does it by itself when the system warns.
     */
    public suspend fun relieve(): List<ModelRelief> = calling { core.relieve() }.map { it.toModelRelief() }

    /**
     * Lets go of all models, also of those that are in use. Once or again, from any thread, but better not from one that draws:
     * it waits for the step that is being computed.
     */
    override fun close() {
        // It is handed over to other calls, and the bindings do not look whether its reference was given back: it stays ours.
        calling { core.shut() }
    }

    public companion object {
        /**
         * Opens the device. Nothing is loaded, and nothing is offered to the cluster, until somebody says so. Takes three seconds
         * at most. Cancelled meanwhile, nothing stays open.
         *
         * A [directory][ModelHostOptions.directory] that is not there is one without models.
         *
         * @throws ExoException of the kind `NO_DEVICE` if no device could be opened.
         */
        public suspend fun open(options: ModelHostOptions): ModelHost = ModelHost(calling { CoreHost.open(options.toCore()) })
    }
}

private fun ModelHostOptions.toCore() = CoreOptions(directory.path, gpu.toCore(), context.unsigned("context"))

private fun CoreShelved.toShelvedModel() = ShelvedModel(id, bytes.asLong(), memory?.asLong(), refusal, isLoaded, isOffered)

private fun CoreProgress.toLoadProgress() = LoadProgress(layers.asInt(), of.asInt())

private fun CoreFetchProgress.toFetchProgress() =
    FetchProgress(done.asLong(), total.asLong(), fresh.asLong(), filesDone.asInt(), files.asInt(), speed)

private fun CoreRelief.toModelRelief() = ModelRelief(model, what, freed.asLong())
