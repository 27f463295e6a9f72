package dev.exo.mobile.android

import android.content.Context
import dev.exo.mobile.ExoNode
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.NodeState
import dev.exo.mobile.Platform
import dev.exo.mobile.SearchStatus
import kotlinx.coroutines.CoroutineDispatcher
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlin.time.Duration

/** What [ExoNodeService] needs of a node, so that its tests need none. */
internal interface Membership {
    /** The node itself, for the app. */
    val node: ExoNode?
    val states: Flow<NodeState>
    val searches: Flow<List<SearchStatus>>

    suspend fun leave(within: Duration)

    fun close()
}

/** How the service gets one, and where it may wait for it. */
internal class Joining(
    val waiting: CoroutineDispatcher,
    val join: (Context, JoinOptions, Platform) -> Membership,
) {
    companion object {
        val Really = Joining(Dispatchers.IO) { _, options, platform -> RealMembership(ExoNode.join(options, platform)) }
    }
}

private class RealMembership(
    override val node: ExoNode,
) : Membership {
    override val states get() = node.states
    override val searches get() = node.searches

    override suspend fun leave(within: Duration) = node.leave(within)

    override fun close() = node.close()
}
