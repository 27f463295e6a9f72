package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.toKotlinDuration
import dev.exo.mobile.core.Condition as CoreCondition
import dev.exo.mobile.core.Heat as CoreHeat
import dev.exo.mobile.core.Outlook as CoreOutlook

/**
 * How this device is.
 *
 * @property readings What the probe saw last.
 * @property allowance What the owner's policy allows, and why not more.
 * @property work Whether work is taken, drained or stopped.
 * @property heat Where the heat stands, and where it is going.
 * @property share The part of the device that work may use now, by the policy and by the heat.
 * @property offers Whether exo is offered a backend.
 */
public data class Condition(
    public val readings: Readings,
    public val allowance: Allowance,
    public val work: WorkState,
    public val heat: Heat,
    public val share: Double,
    public val offers: Boolean,
)

/**
 * Where the heat stands, and where it is going.
 *
 * @property level How much the device may work.
 * @property closeness How close it is to its limit, 1 at the limit; null if no sensor ever told.
 * @property isSeen Whether a sensor told something in the last seconds.
 * @property timeToLimit How long until its limit if the work goes on; null if it is not on its way there.
 * @property outlook What its sensor will say; null if no sensor ever told.
 */
public data class Heat(
    public val level: Level,
    public val closeness: Double?,
    public val isSeen: Boolean,
    public val timeToLimit: Duration?,
    public val outlook: Outlook?,
)

/**
 * What the sensor will say.
 *
 * @property unit In what.
 * @property mean The best guess.
 * @property low One time in ten it will be below this.
 * @property high One time in ten it will be above this.
 * @property confidence 0 to 1.
 * @property horizon How far ahead.
 */
public data class Outlook(
    public val unit: HeatUnit,
    public val mean: Double,
    public val low: Double,
    public val high: Double,
    public val confidence: Double,
    public val horizon: Duration,
)

internal fun CoreCondition.toCondition() =
    Condition(readings.toReadings(), allowance.toAllowance(), work, heat.toHeat(), share, offers)

private fun CoreHeat.toHeat() = Heat(level, closeness, isSeen, timeToLimit?.toKotlinDuration(), outlook?.toOutlook())

private fun CoreOutlook.toOutlook() = Outlook(unit, mean, low, high, confidence, horizon.toKotlinDuration())
