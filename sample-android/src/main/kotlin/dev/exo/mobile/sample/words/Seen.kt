package dev.exo.mobile.sample.words

import dev.exo.mobile.Cluster
import dev.exo.mobile.Condition
import dev.exo.mobile.ExoException
import dev.exo.mobile.GpuDevice
import dev.exo.mobile.GpuMemory
import dev.exo.mobile.NodeState
import dev.exo.mobile.Readings
import dev.exo.mobile.SearchStatus

/**
 * All that is known at one moment: what the screens are made of.
 *
 * @property member The membership, while there is one.
 * @property fault Why the last one ended by itself, or could not begin.
 * @property looked What the phone says of itself while no member looks at it.
 */
data class Seen(
    val member: Member? = null,
    val fault: ExoException? = null,
    val condition: Condition? = null,
    val looked: Readings? = null,
    val heat: HeatHistory = HeatHistory(),
    val gpu: GpuSeen = GpuSeen.Unopened,
) {
    val readings: Readings? get() = condition?.readings ?: looked
}

data class Member(
    val id: String,
    val state: NodeState,
    val search: List<SearchStatus> = emptyList(),
    val cluster: Cluster? = null,
)

/** Opening a GPU may take seconds, so there is a time before. */
sealed interface GpuSeen {
    data object Unopened : GpuSeen

    data class Device(
        val device: GpuDevice,
        val memory: GpuMemory,
    ) : GpuSeen

    data class Refused(
        val why: String,
    ) : GpuSeen
}
