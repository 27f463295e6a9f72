package dev.exo.mobile

/**
 * All readings of a device. A [Probe] fills in what it knows; the rest stays unavailable.
 *
 * @property memory Memory of the system and of this app.
 * @property gpu The GPU.
 * @property cpu The processor.
 * @property power Watts that the whole device draws.
 * @property thermal Heat.
 * @property battery The battery.
 * @property network The network that we would use.
 * @property disk The disk that holds models.
 */
public data class Readings(
    public val memory: MemoryReadings = MemoryReadings(),
    public val gpu: GpuReadings = GpuReadings(),
    public val cpu: CpuReadings = CpuReadings(),
    public val power: Reading<Double> = untold,
    public val thermal: ThermalReadings = ThermalReadings(),
    public val battery: BatteryReadings = BatteryReadings(),
    public val network: NetworkReadings = NetworkReadings(),
    public val disk: DiskReadings = DiskReadings(),
)

/**
 * Bytes of memory.
 *
 * @property total All that the device has.
 * @property available What could be used now without swapping.
 * @property appLimit The most that this app may ever use.
 * @property pressure How hard the system looks for memory.
 */
public data class MemoryReadings(
    public val total: Reading<Long> = untold,
    public val available: Reading<Long> = untold,
    public val appLimit: Reading<Long> = untold,
    public val pressure: Reading<Pressure> = untold,
)

/**
 * The GPU.
 *
 * @property memoryTotal Bytes of its memory.
 * @property memoryUsed Bytes of them in use.
 * @property memoryBudget Bytes that the driver would let us hold.
 * @property utilisation The part of the time in which it worked.
 */
public data class GpuReadings(
    public val memoryTotal: Reading<Long> = untold,
    public val memoryUsed: Reading<Long> = untold,
    public val memoryBudget: Reading<Long> = untold,
    public val utilisation: Reading<Double> = untold,
)

/**
 * The processor.
 *
 * @property utilisation The part of the time in which its cores worked.
 * @property load Threads that want to run, averaged over a minute.
 */
public data class CpuReadings(
    public val utilisation: Reading<Double> = untold,
    public val load: Reading<Double> = untold,
)

/**
 * Heat.
 *
 * @property temperature Degrees Celsius of the hottest part that tells.
 * @property status How the system calls it.
 * @property headroom Android's headroom: 0 is cool, 1 is where severe throttling begins.
 */
public data class ThermalReadings(
    public val temperature: Reading<Double> = untold,
    public val status: Reading<ThermalStatus> = untold,
    public val headroom: Reading<Double> = untold,
)

/**
 * The battery.
 *
 * @property level 0 to 1.
 * @property charging Whether it is being charged.
 * @property powerSave Whether the owner asked the device to save power.
 */
public data class BatteryReadings(
    public val level: Reading<Double> = untold,
    public val charging: Reading<Boolean> = untold,
    public val powerSave: Reading<Boolean> = untold,
)

/**
 * The network that we would use.
 *
 * @property kind What carries it.
 * @property metered Whether bytes cost money.
 */
public data class NetworkReadings(
    public val kind: Reading<NetworkKind> = untold,
    public val metered: Reading<Boolean> = untold,
)

/**
 * The disk that holds models, in bytes.
 *
 * @property total All of it.
 * @property available What is free.
 */
public data class DiskReadings(
    public val total: Reading<Long> = untold,
    public val available: Reading<Long> = untold,
)

/** What a probe leaves out. */
internal val untold: Reading.Unavailable = Reading.Unavailable("nobody told")
