package dev.exo.mobile

import dev.exo.mobile.core.NodeState as CoreState

/** Where the membership stands. */
public sealed interface NodeState {
    /** No cluster yet. [ExoNode.search] says why. */
    public data object Searching : NodeState

    /**
     * A cluster was found and is being dialled.
     *
     * @property to Where.
     */
    public data class Connecting(
        public val to: String,
    ) : NodeState

    /** Linked; waiting for the first acknowledgement. */
    public data object Joining : NodeState

    /**
     * The cluster knows us.
     *
     * @property nodes How many nodes it has, us included.
     */
    public data class Joined(
        public val nodes: Int,
    ) : NodeState

    /**
     * Linked, but nothing is sent: the cluster's build is not one that we know.
     *
     * @property why What we saw that we do not know.
     */
    public data class ListeningOnly(
        public val why: String,
    ) : NodeState

    /**
     * We were joined and something is wrong. It is being repaired.
     *
     * @property why What.
     */
    public data class Degraded(
        public val why: String,
    ) : NodeState

    /** Saying goodbye. */
    public data object Draining : NodeState

    /** Over. */
    public data object Left : NodeState

    /**
     * Over through a fault of our own. Join again, and report it.
     *
     * @property why What is known of it.
     */
    public data class Failed(
        public val why: String,
    ) : NodeState
}

internal fun CoreState.toNodeState(): NodeState =
    when (this) {
        is CoreState.Searching -> NodeState.Searching
        is CoreState.Connecting -> NodeState.Connecting(to)
        is CoreState.Joining -> NodeState.Joining
        is CoreState.Joined -> NodeState.Joined(nodes.asInt())
        is CoreState.ListeningOnly -> NodeState.ListeningOnly(why)
        is CoreState.Degraded -> NodeState.Degraded(why)
        is CoreState.Draining -> NodeState.Draining
        is CoreState.Left -> NodeState.Left
        is CoreState.Failed -> NodeState.Failed(why)
    }
