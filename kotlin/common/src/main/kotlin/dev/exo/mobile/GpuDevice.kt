package dev.exo.mobile

import dev.exo.mobile.core.GpuDevice as CoreDevice
import dev.exo.mobile.core.GpuMemory as CoreMemory

/**
 * A device.
 *
 * @property name Its own name.
 * @property backend Who drives it.
 * @property vendor Who made it.
 * @property kind How it sits in the machine: `integrated`, `discrete`, `virtual`, `software`, `host` or `other`.
 * @property driver The driver and its version.
 * @property apiVersion The version of its interface.
 * @property memoryBytes Bytes of its memory.
 * @property memoryBudget What this process may use of them now, where the system says so.
 * @property computeUnits How many compute units it has, where the driver says so.
 * @property computeUnitsNote Who said so, or why nobody can.
 * @property unifiedMemory Whether device and host share memory.
 * @property maxBufferBytes The largest buffer, in bytes.
 * @property features What it can do beyond the floor: `f16`, `int8`, `dot_product` and so on.
 */
public data class GpuDevice(
    public val name: String,
    public val backend: BackendKind,
    public val vendor: String,
    public val kind: String,
    public val driver: String,
    public val apiVersion: String,
    public val memoryBytes: Long,
    public val memoryBudget: Long?,
    public val computeUnits: Int?,
    public val computeUnitsNote: String,
    public val unifiedMemory: Boolean,
    public val maxBufferBytes: Long,
    public val features: Set<String>,
)

/**
 * A device's memory at one moment, in bytes.
 *
 * @property used In buffers.
 * @property reserved Taken from the system, in use or kept for the next allocation.
 * @property peak The most that was ever in buffers at once.
 * @property budget What may be used in all, where that is known.
 */
public data class GpuMemory(
    public val used: Long,
    public val reserved: Long,
    public val peak: Long,
    public val budget: Long?,
)

internal fun CoreDevice.toGpuDevice() =
    GpuDevice(
        name,
        backend,
        vendor,
        kind,
        driver,
        apiVersion,
        memoryBytes.asLong(),
        memoryBudget?.asLong(),
        computeUnits?.asInt(),
        computeUnitsNote,
        unifiedMemory,
        maxBufferBytes.asLong(),
        features.toSet(),
    )

internal fun CoreMemory.toGpuMemory() = GpuMemory(used.asLong(), reserved.asLong(), peak.asLong(), budget?.asLong())
