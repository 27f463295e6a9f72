package dev.exo.mobile

import dev.exo.mobile.core.ClusterStream
import dev.exo.mobile.core.ConditionStream
import dev.exo.mobile.core.SearchStream
import dev.exo.mobile.core.StateStream
import dev.exo.mobile.core.TelemetryStream
import dev.exo.mobile.core.TroubleStream
import kotlinx.coroutines.flow.Flow
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import dev.exo.mobile.core.ExoNode as CoreNode

/**
 * A member of a cluster, or of one that is still searched for.
 *
 * It may be used from any thread. Flows begin with the value now and go on with each newer one; a slow collector misses what
 * lies between, never the newest. They end when the node is over. What is used after [close] throws an [ExoException] of the
 * kind `CLOSED`.
 */
public class ExoNode private constructor(
    private val core: CoreNode,
    // A host that nobody holds is closed, and a node may be all that the app keeps.
    @Suppress("unused") private val models: ModelHost?,
) : AutoCloseable {
    /** Who we are. */
    public val id: String get() = calling { core.id() }

    /** What the start has to say to people, such as an identity that could not be kept. */
    public val notes: List<String> get() = calling { core.notes() }

    /** Where the membership stands now. */
    public val state: NodeState get() = calling { core.state() }.toNodeState()

    /** Where the membership stands, each time it changes. */
    public val states: Flow<NodeState> =
        pulled(core::states, StateStream::next, StateStream::cancel) { it.toNodeState() }

    /** The cluster now. */
    public val cluster: Cluster get() = calling { core.cluster() }.toCluster()

    /** The cluster, each time it changes, a few times a second at most. */
    public val clusters: Flow<Cluster> =
        pulled(core::clusters, ClusterStream::next, ClusterStream::cancel) { it.toCluster() }

    /** What each way of searching did and what came of it. */
    public val search: List<SearchStatus> get() = calling { core.search() }

    /** The same, each time it changes. */
    public val searches: Flow<List<SearchStatus>> =
        pulled(core::searches, SearchStream::next, SearchStream::cancel) { it }

    /** What was sent and heard so far. */
    public val stats: NodeStats get() = calling { core.stats() }.toNodeStats()

    /** What the network said each time something did not work, for people. */
    public val troubles: Flow<String> = pulled(core::troubles, TroubleStream::next, TroubleStream::cancel) { it }

    /** How this device is; null until it was looked at. */
    public val condition: Condition? get() = calling { core.condition() }?.toCondition()

    /** How this device is, each time it changes, once a second at most. */
    public val conditions: Flow<Condition> =
        pulled(core::conditions, ConditionStream::next, ConditionStream::cancel) { it.toCondition() }

    /** How all members of this SDK are that told it, this device among them while somebody listens. */
    public val telemetry: ClusterTelemetry get() = calling { core.telemetry() }.toClusterTelemetry()

    /** The same, each time it changes, once a second at most. */
    public val telemetries: Flow<ClusterTelemetry> =
        pulled(core::telemetries, TelemetryStream::next, TelemetryStream::cancel) { it.toClusterTelemetry() }

    /** The links between members of this SDK, as they measured them. */
    public val topology: Topology get() = calling { core.topology() }.toTopology()

    /** How good each member of this SDK is for work now, best first. */
    public fun scores(formula: Formula = Formula.COMPOSITE): List<Score> = calling { core.scores(formula) }

    /** Changes what the owner allows. Holds at once. */
    public fun setPolicy(policy: Policy): Unit = calling { core.setPolicy(policy.toCore()) }

    /** Measures what this device can do, for about a third of a second, and tells the other members. */
    public suspend fun calibrate(gpu: Gpu): Unit = calling { core.calibrate(gpu.core) }

    /** The app is on the screen, or is not any more. A [Lifecycle] tells this by itself. */
    public fun shown(shown: Boolean): Unit = calling { core.shown(shown) }

    /** These readings changed: look at them now, not when it is their turn. A [Lifecycle] may tell this by itself. */
    public fun noticed(groups: Set<Group>): Unit = calling { core.noticed(groups.toList()) }

    /**
     * Who would run which layers of a model of the cluster's, and why. Nothing is sent to anybody.
     *
     * @throws ExoException of the kind `NOT_FOUND` if the cluster does not know the model, `UNREACHABLE` if there is nobody to
     *   ask.
     */
    public suspend fun plan(
        model: String,
        wishes: PlanWishes = PlanWishes(),
    ): Plan = Plan(calling { core.plan(model, wishes.toCore()) })

    /** Asks exo to run the [plan] that was made last, and gives the id of the instance. Only ever done because the app asks. */
    public suspend fun handOver(plan: Plan): String = calling { core.handOver(plan.core) }

    /**
     * Says goodbye and waits until the cluster has seen it, at most about this long.
     *
     * @throws ExoException of the kind `UNHEARD` if the cluster did not acknowledge it in time; the node has left all the same.
     */
    public suspend fun leave(within: Duration = 5.seconds): Unit = calling { core.leave(within.unsigned("within")) }

    /**
     * Ends the node. Once or again, from any thread. One that has not left says goodbye for a quarter of a second and ends all
     * the same.
     */
    override fun close(): Unit = core.ended { shut() }

    public companion object {
        /**
         * Starts searching and joins what is found; [states] tells how it goes. Returns at once.
         *
         * [platform] is what the app does for the library; what is left out, the library does itself as far as it can.
         */
        public fun join(
            options: JoinOptions = JoinOptions(),
            platform: Platform = Platform(),
        ): ExoNode = ExoNode(calling { CoreNode.join(options.toCore(), platform.toCore()) }, platform.models)
    }
}
