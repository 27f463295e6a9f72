package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import dev.exo.mobile.core.Plan as CorePlan
import dev.exo.mobile.core.PlanDevice as CoreDevice
import dev.exo.mobile.core.PlanStage as CoreStage
import dev.exo.mobile.core.PlanWishes as CoreWishes

/**
 * What a plan is for.
 *
 * @property contextTokens Tokens of context whose keys and values must fit.
 * @property objective What to minimise.
 * @property evenGuests Plan as if devices that offer nothing to exo did. For questions only: such a plan cannot be handed over.
 * @property maxDevices The most devices of a plan; any number if left out.
 * @property timeLimit How long to search, if it comes to that.
 */
public data class PlanWishes(
    public val contextTokens: Int = 4096,
    public val objective: Objective = Objective.LATENCY,
    public val evenGuests: Boolean = false,
    public val maxDevices: Int? = null,
    public val timeLimit: Duration = 2.seconds,
)

/** Who would run which layers of a model, why, and what that stands on. [ExoNode.plan] makes it. */
public class Plan internal constructor(
    internal val core: CorePlan,
) {
    /** The model. */
    public val model: String get() = core.model

    /** How good it is. */
    public val status: Status get() = core.status

    /** Who runs which layers, in the order in which a token passes them. Empty if there is no plan. */
    public val stages: List<PlanStage> = core.stages.map { it.toPlanStage() }

    /** What it costs: the time of one token, or between two. */
    public val cost: Duration? get() = core.costS?.seconds

    /** What no plan can cost less than. */
    public val lowerBound: Duration? get() = core.lowerBoundS?.seconds

    /** What each device got, and why. */
    public val devices: List<PlanDevice> = core.devices.map { it.toPlanDevice() }

    /** What is not known and was assumed. */
    public val assumptions: List<Assumption> get() = core.assumptions

    /** Bytes of memory that the cluster lacks; 0 if there is a plan. */
    public val missingBytes: Double get() = core.missingBytes

    /** One sentence about the whole. */
    public val summary: String get() = core.summary

    /** Its summary. */
    override fun toString(): String = summary
}

/**
 * Consecutive layers on one device.
 *
 * @property deviceId The device's id.
 * @property layers The layers, the first and the last included.
 */
public data class PlanStage(
    public val deviceId: String,
    public val layers: IntRange,
)

/**
 * What one device got, and why.
 *
 * @property deviceId The device's id.
 * @property name What people call it.
 * @property layers How many layers it runs.
 * @property why A sentence that names the binding constraint.
 * @property binding The constraint that holds it back.
 */
public data class PlanDevice(
    public val deviceId: String,
    public val name: String,
    public val layers: Int,
    public val why: String,
    public val binding: Binding,
)

internal fun PlanWishes.toCore() =
    CoreWishes(
        contextTokens.unsigned("contextTokens"),
        objective,
        evenGuests,
        maxDevices?.unsigned("maxDevices"),
        timeLimit.unsigned("timeLimit"),
    )

private fun CoreStage.toPlanStage() = PlanStage(deviceId, startLayer.asInt()..<endLayer.asInt())

private fun CoreDevice.toPlanDevice() = PlanDevice(deviceId, name, layers.asInt(), why, binding)
