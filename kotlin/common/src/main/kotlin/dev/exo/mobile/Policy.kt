package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import dev.exo.mobile.core.Allowance as CoreAllowance
import dev.exo.mobile.core.Policy as CorePolicy
import dev.exo.mobile.core.QuietHours as CoreQuietHours

/**
 * What the owner allows. By default there are no rules, and everything is allowed.
 *
 * @property onlyWhileCharging Work only while the battery is being charged, or the device runs from the mains.
 * @property minBattery Work only with at least this much in the battery, 0 to 1.
 * @property maxTemperature Work only below this many degrees Celsius.
 * @property maxThermalStatus Work only up to this status.
 * @property wifiOnly Work only on Wi-Fi or a cable, and not where bytes cost money.
 * @property memoryCap Use at most this many bytes.
 * @property quietHours Do not work at these times.
 * @property foregroundOnly Work only while the app is on the screen.
 * @property drain How long work may go on after a rule said no.
 * @property settle How long all rules must say yes before work begins again.
 */
public data class Policy(
    public val onlyWhileCharging: Boolean = false,
    public val minBattery: Double? = null,
    public val maxTemperature: Double? = null,
    public val maxThermalStatus: ThermalStatus? = null,
    public val wifiOnly: Boolean = false,
    public val memoryCap: Long? = null,
    public val quietHours: QuietHours? = null,
    public val foregroundOnly: Boolean = false,
    public val drain: Duration = 30.seconds,
    public val settle: Duration = 30.seconds,
)

/**
 * A time of day, by the owner's clock, at which the phone is left alone. It may go over midnight.
 *
 * @property from The first quiet minute of the day, 0 to 1439.
 * @property to The first minute that is not quiet any more.
 */
public data class QuietHours(
    public val from: Int,
    public val to: Int,
)

/**
 * What the phone may do now.
 *
 * @property share 0 to 1: how much of the device work may use.
 * @property admit Whether new work may be taken.
 * @property memory The most bytes that work may use, if the owner set a cap.
 * @property reasons Every rule that says no, does not know, or takes a part of the share away.
 * @property sentence All reasons in one line.
 */
public data class Allowance(
    public val share: Double,
    public val admit: Boolean,
    public val memory: Long?,
    public val reasons: List<Reason>,
    public val sentence: String,
)

internal fun Policy.toCore() =
    CorePolicy(
        onlyWhileCharging,
        minBattery,
        maxTemperature,
        maxThermalStatus,
        wifiOnly,
        memoryCap?.unsigned("memoryCap"),
        quietHours?.toCore(),
        foregroundOnly,
        drain.unsigned("drain"),
        settle.unsigned("settle"),
    )

private fun QuietHours.toCore() = CoreQuietHours(minuteOfDay(from), minuteOfDay(to))

private fun minuteOfDay(minute: Int): UShort =
    if (minute in 0..<24 * 60) {
        minute.toUShort()
    } else {
        throw ExoException(ErrorKind.INVALID_ARGUMENT, "quietHours has the minute $minute; a day has the minutes 0 to 1439")
    }

internal fun CoreAllowance.toAllowance() = Allowance(share, admit, memory?.asLong(), reasons, sentence)
