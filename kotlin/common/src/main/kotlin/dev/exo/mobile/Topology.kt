package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import dev.exo.mobile.core.FarthestPair as CorePair
import dev.exo.mobile.core.TopologyReport as CoreReport

/**
 * The links of the cluster that were measured, and what they make of it.
 *
 * @property links The links.
 * @property parts How many parts cannot reach each other. One is good.
 * @property diameter The two devices farthest from each other.
 * @property averageBandwidth Bytes a second, over all that were measured.
 * @property bottlenecks Links that hold the cluster back, slowest first.
 * @property cutDevices Devices without which a part falls apart.
 * @property summary A few lines that a person reads.
 * @property svg A picture of it.
 */
public data class Topology(
    public val links: List<Link>,
    public val parts: Int,
    public val diameter: FarthestPair?,
    public val averageBandwidth: Double?,
    public val bottlenecks: List<SlowLink>,
    public val cutDevices: List<String>,
    public val summary: String,
    public val svg: String,
)

/**
 * The two devices farthest from each other.
 *
 * @property from One end.
 * @property to The other.
 * @property hops Links between them.
 * @property roundTrip There and back.
 */
public data class FarthestPair(
    public val from: String,
    public val to: String,
    public val hops: Int,
    public val roundTrip: Duration,
)

internal fun CoreReport.toTopology() =
    Topology(
        links,
        parts.asInt(),
        diameter?.toFarthestPair(),
        averageBandwidth,
        bottlenecks,
        cutDevices,
        summary,
        svg,
    )

private fun CorePair.toFarthestPair() = FarthestPair(from, to, hops.asInt(), roundTrip.seconds)
