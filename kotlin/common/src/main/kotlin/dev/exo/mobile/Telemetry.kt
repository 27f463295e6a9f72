package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Instant
import dev.exo.mobile.core.ClusterTelemetry as CoreTelemetry
import dev.exo.mobile.core.DeviceTelemetry as CoreDevice

/**
 * All devices that tell how they are.
 *
 * @property at When.
 * @property devices The devices, by their ids.
 */
public data class ClusterTelemetry(
    public val at: Instant,
    public val devices: List<DeviceTelemetry>,
)

/**
 * One device that tells how it is.
 *
 * @property deviceId Its id, which is its node's.
 * @property name What its owner calls it, once it said so.
 * @property deviceType What computes in it, once it said so.
 * @property presence Whether it is there.
 * @property peakFlopsPerSecond Floating-point operations a second, if it was measured.
 * @property memoryBytesPerSecond Bytes a second between memory and what computes, if it was measured.
 * @property readings What it told.
 * @property silentFor How long ago it was heard.
 */
public data class DeviceTelemetry(
    public val deviceId: String,
    public val name: String?,
    public val deviceType: DeviceType?,
    public val presence: Presence,
    public val peakFlopsPerSecond: Double?,
    public val memoryBytesPerSecond: Double?,
    public val readings: Readings,
    public val silentFor: Duration,
)

internal fun CoreTelemetry.toClusterTelemetry() = ClusterTelemetry(atMs.asInstant(), devices.map { it.toDeviceTelemetry() })

private fun CoreDevice.toDeviceTelemetry() =
    DeviceTelemetry(
        deviceId,
        name,
        deviceType,
        presence,
        peakFlopsPerS,
        memoryBytesPerS,
        readings.toReadings(),
        silentMs.asLong().milliseconds,
    )
