package dev.exo.mobile

import dev.exo.mobile.core.Figure
import dev.exo.mobile.core.Quantity
import dev.exo.mobile.core.Sample

// Readings cross as a flat list of samples, since UniFFI has no generics. Here they get their types, and lose them again.

internal fun List<Sample>.toReadings(): Readings {
    val samples = associateBy { it.quantity }

    fun bytes(quantity: Quantity) = samples[quantity].reading { (it as? Figure.Bytes)?.bytes?.asLong() }

    fun number(quantity: Quantity) = samples[quantity].reading { (it as? Figure.Number)?.number }

    fun flag(quantity: Quantity) = samples[quantity].reading { (it as? Figure.Flag)?.flag }
    return Readings(
        memory =
            MemoryReadings(
                total = bytes(Quantity.MEMORY_TOTAL),
                available = bytes(Quantity.MEMORY_AVAILABLE),
                appLimit = bytes(Quantity.MEMORY_LIMIT),
                pressure = samples[Quantity.MEMORY_PRESSURE].reading { (it as? Figure.Memory)?.pressure },
            ),
        gpu =
            GpuReadings(
                memoryTotal = bytes(Quantity.GPU_MEMORY_TOTAL),
                memoryUsed = bytes(Quantity.GPU_MEMORY_USED),
                memoryBudget = bytes(Quantity.GPU_MEMORY_BUDGET),
                utilisation = number(Quantity.COMPUTE_UTILISATION),
            ),
        cpu = CpuReadings(utilisation = number(Quantity.CPU_UTILISATION), load = number(Quantity.CPU_LOAD)),
        power = number(Quantity.POWER),
        thermal =
            ThermalReadings(
                temperature = number(Quantity.TEMPERATURE),
                status = samples[Quantity.THERMAL_STATUS].reading { (it as? Figure.Thermal)?.status },
                headroom = number(Quantity.THERMAL_HEADROOM),
            ),
        battery =
            BatteryReadings(
                level = number(Quantity.BATTERY_LEVEL),
                charging = flag(Quantity.BATTERY_CHARGING),
                powerSave = flag(Quantity.POWER_SAVE),
            ),
        network =
            NetworkReadings(
                kind = samples[Quantity.NETWORK_KIND].reading { (it as? Figure.Network)?.kind },
                metered = flag(Quantity.NETWORK_METERED),
            ),
        disk = DiskReadings(total = bytes(Quantity.DISK_TOTAL), available = bytes(Quantity.DISK_AVAILABLE)),
    )
}

private fun <T : Any> Sample?.reading(value: (Figure) -> T?): Reading<T> {
    if (this == null) return untold
    val at = atMs?.asInstant() ?: untold.at
    val known = figure?.let(value) ?: return Reading.Unavailable(note.orEmpty(), at)
    return when (source) {
        Source.MEASURED -> Reading.Measured(known, at)
        Source.ESTIMATED -> Reading.Estimated(known, note.orEmpty(), at)
        Source.UNAVAILABLE -> Reading.Unavailable(note.orEmpty(), at)
    }
}

/** What was told. The core knows what to say of the rest. */
internal fun Readings.toSamples(): List<Sample> =
    listOfNotNull(
        memory.total.bytes(Quantity.MEMORY_TOTAL),
        memory.available.bytes(Quantity.MEMORY_AVAILABLE),
        memory.appLimit.bytes(Quantity.MEMORY_LIMIT),
        memory.pressure.sample(Quantity.MEMORY_PRESSURE) { Figure.Memory(it) },
        gpu.memoryTotal.bytes(Quantity.GPU_MEMORY_TOTAL),
        gpu.memoryUsed.bytes(Quantity.GPU_MEMORY_USED),
        gpu.memoryBudget.bytes(Quantity.GPU_MEMORY_BUDGET),
        gpu.utilisation.number(Quantity.COMPUTE_UTILISATION),
        cpu.utilisation.number(Quantity.CPU_UTILISATION),
        cpu.load.number(Quantity.CPU_LOAD),
        power.number(Quantity.POWER),
        thermal.temperature.number(Quantity.TEMPERATURE),
        thermal.status.sample(Quantity.THERMAL_STATUS) { Figure.Thermal(it) },
        thermal.headroom.number(Quantity.THERMAL_HEADROOM),
        battery.level.number(Quantity.BATTERY_LEVEL),
        battery.charging.flag(Quantity.BATTERY_CHARGING),
        battery.powerSave.flag(Quantity.POWER_SAVE),
        network.kind.sample(Quantity.NETWORK_KIND) { Figure.Network(it) },
        network.metered.flag(Quantity.NETWORK_METERED),
        disk.total.bytes(Quantity.DISK_TOTAL),
        disk.available.bytes(Quantity.DISK_AVAILABLE),
    )

private fun Reading<Long>.bytes(quantity: Quantity) = sample(quantity) { Figure.Bytes(it.unsigned("$quantity")) }

private fun Reading<Double>.number(quantity: Quantity) = sample(quantity) { Figure.Number(it) }

private fun Reading<Boolean>.flag(quantity: Quantity) = sample(quantity) { Figure.Flag(it) }

private fun <T : Any> Reading<T>.sample(
    quantity: Quantity,
    figure: (T) -> Figure,
): Sample? {
    if (this === untold) return null
    val atMs = at.toEpochMilliseconds().coerceAtLeast(0).toULong()
    return when (this) {
        is Reading.Measured -> Sample(quantity, figure(value), Source.MEASURED, null, atMs)
        is Reading.Estimated -> Sample(quantity, figure(value), Source.ESTIMATED, how, atMs)
        is Reading.Unavailable -> Sample(quantity, null, Source.UNAVAILABLE, why, atMs)
    }
}
