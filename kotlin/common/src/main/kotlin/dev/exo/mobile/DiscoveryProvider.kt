package dev.exo.mobile

import dev.exo.mobile.core.TxtEntry
import dev.exo.mobile.core.Advertisement as CoreAdvertisement
import dev.exo.mobile.core.DiscoveryProvider as CoreProvider
import dev.exo.mobile.core.Service as CoreService
import dev.exo.mobile.core.ServiceListener as CoreListener

/**
 * Somebody who does DNS-SD for us, such as Android's `NsdManager`.
 *
 * Called from a thread of its own, in order. An [ExoException] of the kind `NOT_PERMITTED` is shown to people as such. Stopping
 * what was not started is no error.
 */
public interface DiscoveryProvider {
    /** Browses [serviceType] until told to stop; what is already known is told too. */
    public fun browse(
        serviceType: String,
        listener: ServiceListener,
    )

    /** Stops browsing. */
    public fun stopBrowsing()

    /** Advertises this, and nothing that was advertised before. */
    public fun advertise(advertisement: Advertisement)

    /** Takes back what is advertised. */
    public fun withdraw()
}

/** Hears what browsing sees. May be called from any thread, also after browsing was stopped. */
public class ServiceListener internal constructor(
    private val core: CoreListener,
) {
    /** A service was resolved, or has changed. */
    public fun resolved(service: Service): Unit = calling { core.resolved(service.toCore()) }

    /** Browsing broke and is over. [permission]: because the system or its user does not allow it. */
    public fun failed(
        why: String,
        permission: Boolean = false,
    ): Unit = calling { core.failed(permission, why) }
}

/**
 * A service that was resolved.
 *
 * @property name The instance name.
 * @property addresses Its addresses; a link-local one needs [interfaceIndex].
 * @property port The port.
 * @property txt The TXT record.
 * @property interfaceIndex The interface's index, where known.
 */
public data class Service(
    public val name: String,
    public val addresses: List<String>,
    public val port: Int,
    public val txt: Map<String, String> = emptyMap(),
    public val interfaceIndex: Int? = null,
)

/**
 * What shall be advertised.
 *
 * @property serviceType The service type: `_exo._tcp`.
 * @property name The instance name. Random: it says nothing of the phone's owner.
 * @property port The port.
 * @property txt The TXT record.
 */
public data class Advertisement(
    public val serviceType: String,
    public val name: String,
    public val port: Int,
    public val txt: Map<String, String>,
)

internal class AppDiscovery(
    private val provider: DiscoveryProvider,
) : CoreProvider {
    override fun browse(
        serviceType: String,
        listener: CoreListener,
    ): Unit = answering { provider.browse(serviceType, ServiceListener(listener)) }

    override fun stopBrowsing(): Unit = answering { provider.stopBrowsing() }

    override fun advertise(advertisement: CoreAdvertisement): Unit =
        answering { provider.advertise(advertisement.toAdvertisement()) }

    override fun withdraw(): Unit = answering { provider.withdraw() }
}

private fun Service.toCore() =
    CoreService(
        name,
        addresses,
        interfaceIndex?.unsigned("interfaceIndex"),
        port.asPort("port"),
        txt.map { (key, value) -> TxtEntry(key, value) },
    )

private fun CoreAdvertisement.toAdvertisement() =
    Advertisement(serviceType, name, port.toInt(), txt.associate { it.key to it.value })
