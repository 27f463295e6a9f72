package dev.exo.mobile

import java.io.File
import dev.exo.mobile.core.Gpu as CoreGpu
import dev.exo.mobile.core.GpuOptions as CoreOptions
import dev.exo.mobile.core.SelfTestListener as CoreListener
import dev.exo.mobile.core.SelfTestProgress as CoreProgress

/**
 * How to open a GPU. Everything may be left out.
 *
 * @property backend This backend, and no other in its place.
 * @property device The device whose name has this in it.
 * @property dataDir Where the verdicts on kernels are kept, so that the next start is quick; nowhere if left out.
 * @property memoryCap Use at most this many bytes.
 */
public data class GpuOptions(
    public val backend: BackendKind? = null,
    public val device: String? = null,
    public val dataDir: File? = null,
    public val memoryCap: Long? = null,
)

/**
 * An opened GPU, or the CPU in its place.
 *
 * It may be used from any thread. [close] frees it and all of its buffers; what is used afterwards throws an [ExoException] of
 * the kind `CLOSED`.
 */
public class Gpu private constructor(
    internal val core: CoreGpu,
) : AutoCloseable {
    /** The device that was opened. */
    public val device: GpuDevice get() = calling { core.device() }.toGpuDevice()

    /** All devices that were found. */
    public val devices: List<GpuDevice> get() = calling { core.devices() }.map { it.toGpuDevice() }

    /** Why each device that was passed over was. */
    public val refusals: List<Refusal> get() = calling { core.refusals() }

    /** How its memory stands. */
    public val memory: GpuMemory get() = calling { core.memory() }.toGpuMemory()

    /** Takes [bytes] of the device's memory, with whatever was there before. [GpuBuffer.close] gives them back. */
    public fun allocate(bytes: Long): GpuBuffer =
        GpuBuffer(calling { core.allocate(bytes.unsigned("the size of a buffer")) }, this)

    /** Gives back to the system what is kept for the next allocation. */
    public fun trim(): Unit = calling { core.trim() }

    /** Tests every kernel against its known answers, which takes some seconds. [heard] is told of each, on another thread. */
    public suspend fun selfTest(heard: (SelfTestProgress) -> Unit = {}): List<KernelReport> {
        val listener =
            object : CoreListener {
                override fun progressed(progress: CoreProgress) = answering { heard(progress.toSelfTestProgress()) }
            }
        return calling { core.selfTest(listener) }.map { it.toKernelReport() }
    }

    /** Measures how fast the device computes and reads, in about a third of a second. */
    public suspend fun calibrate(): Calibration = calling { core.calibrate() }.toCalibration()

    /** Waits until all that was handed to the device is done. */
    public suspend fun synchronise(): Unit = calling { core.synchronise() }

    /** Frees the device and its buffers. Once or again, from any thread. */
    override fun close() {
        // It is handed over to other calls, and the bindings do not look whether its reference was given back: it stays ours.
        calling { core.shut() }
    }

    public companion object {
        /**
         * Opens the best device: a GPU, else the CPU. Takes three seconds at most. Cancelled meanwhile, nothing stays open.
         *
         * @throws ExoException of the kind `NO_DEVICE` if none could be opened.
         */
        public suspend fun open(options: GpuOptions = GpuOptions()): Gpu = Gpu(calling { CoreGpu.open(options.toCore()) })
    }
}

internal fun GpuOptions.toCore() = CoreOptions(backend, device, dataDir?.path, memoryCap?.unsigned("memoryCap"))
