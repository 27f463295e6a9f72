package dev.exo.mobile

import dev.exo.mobile.core.Cluster as CoreCluster
import dev.exo.mobile.core.ClusterNode as CoreNode
import dev.exo.mobile.core.NodeStats as CoreStats

/**
 * The cluster, as this member sees it.
 *
 * @property master The master's id, while one is known.
 * @property isComplete Whether the whole state is known; while not, nodes may be missing.
 * @property nodes Its nodes.
 * @property instances The models that run.
 * @property links Its links.
 */
public data class Cluster(
    public val master: String?,
    public val isComplete: Boolean,
    public val nodes: List<ClusterNode>,
    public val instances: List<ClusterInstance>,
    public val links: List<ClusterLink>,
) {
    /** Ourselves, once the cluster shows us. */
    public val thisDevice: ClusterNode? get() = nodes.find { it.isThisDevice }
}

/**
 * One node of the cluster, as its events tell.
 *
 * @property id Its id.
 * @property name What people call it.
 * @property model Its model.
 * @property chip Its chip.
 * @property osVersion Its system.
 * @property memoryTotal Bytes of its memory.
 * @property memoryAvailable Bytes of it that are free.
 * @property temperature Degrees Celsius.
 * @property gpuUse 0 to 1.
 * @property backends The backends that it announced; none: it is a guest.
 * @property isPresent Whether the master counts it as present.
 * @property isThisDevice Whether it is this device.
 */
public data class ClusterNode(
    public val id: String,
    public val name: String?,
    public val model: String?,
    public val chip: String?,
    public val osVersion: String?,
    public val memoryTotal: Long?,
    public val memoryAvailable: Long?,
    public val temperature: Double?,
    public val gpuUse: Double?,
    public val backends: List<String>,
    public val isPresent: Boolean,
    public val isThisDevice: Boolean,
)

/**
 * What a node did so far. Counters never go back.
 *
 * @property heard Payloads that were heard.
 * @property overrun Payloads that came faster than they could be read.
 * @property oversized Payloads that were too large to be kept.
 * @property unsent Payloads that could not be handed to the network.
 * @property linksLost Links that were lost.
 */
public data class NodeStats(
    public val heard: Long,
    public val overrun: Long,
    public val oversized: Long,
    public val unsent: Long,
    public val linksLost: Long,
)

internal fun CoreCluster.toCluster() = Cluster(master, isComplete, nodes.map { it.toClusterNode() }, instances, links)

private fun CoreNode.toClusterNode() =
    ClusterNode(
        id,
        name,
        model,
        chip,
        osVersion,
        memoryTotal?.asLong(),
        memoryAvailable?.asLong(),
        temperature,
        gpuUse,
        backends,
        isPresent,
        isThisDevice,
    )

internal fun CoreStats.toNodeStats() =
    NodeStats(heard.asLong(), overrun.asLong(), oversized.asLong(), unsent.asLong(), linksLost.asLong())
