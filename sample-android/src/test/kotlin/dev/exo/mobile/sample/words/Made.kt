package dev.exo.mobile.sample.words

import dev.exo.mobile.Allowance
import dev.exo.mobile.Cluster
import dev.exo.mobile.ClusterNode
import dev.exo.mobile.Condition
import dev.exo.mobile.Heat
import dev.exo.mobile.HeatUnit
import dev.exo.mobile.Level
import dev.exo.mobile.NetworkKind
import dev.exo.mobile.NetworkReadings
import dev.exo.mobile.Outlook
import dev.exo.mobile.Reading
import dev.exo.mobile.Readings
import dev.exo.mobile.Reason
import dev.exo.mobile.ThermalReadings
import dev.exo.mobile.WorkState
import kotlin.time.Duration
import kotlin.time.Duration.Companion.minutes

// What the library would say, made by hand for the tests of our words.

fun node(
    id: String,
    name: String?,
    isThisDevice: Boolean = false,
    memory: Long? = null,
) = ClusterNode(id, name, null, null, null, memory, null, null, null, emptyList(), true, isThisDevice)

fun cluster(
    master: String?,
    vararg nodes: ClusterNode,
) = Cluster(master, true, nodes.toList(), emptyList(), emptyList())

fun readings(
    network: NetworkKind = NetworkKind.WIFI,
    celsius: Double? = null,
) = Readings(
    network = NetworkReadings(kind = Reading.Measured(network)),
    thermal = ThermalReadings(temperature = celsius?.let { Reading.Measured(it) } ?: Reading.Unavailable("no sensor")),
)

fun outlook(
    mean: Double,
    unit: HeatUnit = HeatUnit.CELSIUS,
) = Outlook(unit, mean, mean - 0.5, mean + 0.5, 0.8, 1.minutes)

fun condition(
    readings: Readings = readings(),
    reasons: List<Reason> = emptyList(),
    work: WorkState = WorkState.WORKING,
    share: Double = 1.0,
    outlook: Outlook? = null,
    timeToLimit: Duration? = null,
    level: Level = Level.FULL,
) = Condition(
    readings,
    Allowance(share, reasons.isEmpty(), null, reasons, ""),
    work,
    Heat(level, null, outlook != null, timeToLimit, outlook),
    share,
    false,
)
