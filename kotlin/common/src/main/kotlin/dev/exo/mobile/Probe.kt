package dev.exo.mobile

import dev.exo.mobile.core.Sample
import dev.exo.mobile.core.Probe as CoreProbe

/**
 * How the platform looks at the device. Only true values: what cannot be had is [Reading.Unavailable], with the reason.
 *
 * Called on a thread of its own, never twice at once. One that hangs is not waited for; what one that throws was asked for is
 * unavailable; and what no device can have is refused.
 */
public interface Probe {
    /** Who the device is. Asked once. */
    public fun identity(): Identity

    /** One look at what is [wanted]. More may be told; what is left out is unavailable. */
    public fun read(wanted: Set<Group>): Readings
}

internal class AppProbe(
    private val probe: Probe,
) : CoreProbe {
    override fun identity(): Identity = answering { probe.identity() }

    override fun read(wanted: List<Group>): List<Sample> = answering { probe.read(wanted.toSet()).toSamples() }
}
