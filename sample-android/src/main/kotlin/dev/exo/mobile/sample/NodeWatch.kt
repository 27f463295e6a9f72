package dev.exo.mobile.sample

import android.content.Context
import dev.exo.mobile.ExoException
import dev.exo.mobile.ExoNode
import dev.exo.mobile.Gpu
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.Group
import dev.exo.mobile.android.AndroidProbe
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.sample.words.GpuSeen
import dev.exo.mobile.sample.words.HeatHistory
import dev.exo.mobile.sample.words.Member
import dev.exo.mobile.sample.words.Seen
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.catch
import kotlinx.coroutines.flow.collectLatest
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlin.time.Clock

/** Follows the service's node, and makes of all its flows the one value that the screens show. */
class NodeWatch(
    context: Context,
    private val scope: CoroutineScope,
) {
    private val probe = AndroidProbe(context)
    private val all = MutableStateFlow(Seen())
    private var isGpuWanted = false

    val seen: StateFlow<Seen> = all.asStateFlow()

    init {
        scope.launch { ExoNodeService.node.collectLatest(::follow) }
        scope.launch { ExoNodeService.fault.collect { fault -> all.update { it.copy(fault = fault) } } }
    }

    fun refused(why: ExoException): Unit = all.update { it.copy(fault = why) }

    /** Looks at the phone while no node does, and at its GPU once: that never changes. */
    fun look(gpu: GpuOptions) {
        scope.launch {
            val looked = withContext(Dispatchers.IO) { probe.read(Group.entries.toSet()) }
            all.update { it.copy(looked = looked) }
        }
        if (!isGpuWanted) {
            isGpuWanted = true
            scope.launch { openGpu(gpu) }
        }
    }

    private suspend fun openGpu(options: GpuOptions) {
        val gpu =
            try {
                withContext(Dispatchers.IO) { Gpu.open(options).use { GpuSeen.Device(it.device, it.memory) } }
            } catch (none: ExoException) {
                GpuSeen.Refused(none.message)
            }
        all.update { it.copy(gpu = gpu) }
    }

    private suspend fun follow(node: ExoNode?) {
        all.update { it.copy(member = null, condition = null, heat = HeatHistory()) }
        if (node == null) return
        try {
            val began = Member(node.id, node.state)
            all.update { it.copy(member = began) }
        } catch (_: ExoException) {
            return // It was over before anybody looked.
        }
        coroutineScope {
            launch { node.states.untilClosed { state -> member { copy(state = state) } } }
            launch { node.searches.untilClosed { search -> member { copy(search = search) } } }
            launch { node.clusters.untilClosed { cluster -> member { copy(cluster = cluster) } } }
            launch {
                node.conditions.untilClosed { condition ->
                    all.update { it.copy(condition = condition, heat = it.heat.with(Clock.System.now(), condition)) }
                }
            }
        }
    }

    private fun member(change: Member.() -> Member) = all.update { it.copy(member = it.member?.change()) }

    /** The service may close its node at any moment, also just before a flow begins. */
    private suspend fun <T> Flow<T>.untilClosed(heard: (T) -> Unit) =
        catch { if (it !is ExoException) throw it }.collect { heard(it) }
}
