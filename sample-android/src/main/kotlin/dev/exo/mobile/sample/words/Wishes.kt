package dev.exo.mobile.sample.words

import dev.exo.mobile.JoinOptions
import dev.exo.mobile.LinkPreview
import dev.exo.mobile.Policy
import dev.exo.mobile.QuietHours

/**
 * What the owner chose in the settings.
 *
 * @property name What others call this phone; the phone's own name if blank.
 * @property link A link that the owner has agreed to, and that is tried besides all other ways.
 * @property minBattery In percent; 0 asks for nothing.
 * @property served Models that the cluster may ask.
 */
data class Wishes(
    val name: String = "",
    val link: String? = null,
    val onlyWhileCharging: Boolean = false,
    val wifiOnly: Boolean = true,
    val foregroundOnly: Boolean = false,
    val quietNights: Boolean = false,
    val minBattery: Int = 30,
    val served: Set<String> = emptySet(),
) {
    val policy: Policy get() =
        Policy(
            onlyWhileCharging = onlyWhileCharging,
            minBattery = minBattery.takeIf { it > 0 }?.let { it / 100.0 },
            wifiOnly = wifiOnly,
            quietHours = QuietHours(from = 22 * 60, to = 7 * 60).takeIf { quietNights },
            foregroundOnly = foregroundOnly,
        )

    /** [link] is what [Wishes.link] says, read. */
    fun options(link: LinkPreview?): JoinOptions =
        JoinOptions(
            name = name.trim().ifEmpty { null },
            confirmedLink = link,
            namespace = link?.namespace,
            policy = policy,
        )

    companion object {
        /** Percents of the battery that can be chosen. */
        val BATTERIES = listOf(0, 15, 30, 50)

        fun batteryLabel(percent: Int): String = if (percent == 0) "Any" else "$percent %"
    }
}
