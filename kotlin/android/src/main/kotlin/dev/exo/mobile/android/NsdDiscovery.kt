package dev.exo.mobile.android

import android.content.Context
import android.net.nsd.NsdManager
import dev.exo.mobile.Advertisement
import dev.exo.mobile.DiscoveryProvider
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.Service
import dev.exo.mobile.ServiceListener

/**
 * DNS-SD by Android's own daemon, `NsdManager`.
 *
 * It needs no multicast lock: the daemon hears multicast for all apps. The lock is for exo's own Hello, see [MulticastSearch].
 */
public class NsdDiscovery(
    context: Context,
) : DiscoveryProvider {
    private val app = context.ofApplication()

    // Older versions connect to the daemon here, and wait for it: not while the app starts.
    private val nsd by lazy {
        app.getSystemService(NsdManager::class.java)
            ?: throw ExoException(ErrorKind.UNSUPPORTED, "this device has no DNS-SD: join by a link instead")
    }
    private var browsing: Browsing? = null
    private var registration: Registration? = null

    override fun browse(
        serviceType: String,
        listener: ServiceListener,
    ): Unit = browse(serviceType, listener::resolved, listener::failed)

    @Synchronized
    internal fun browse(
        serviceType: String,
        resolved: (Service) -> Unit,
        failed: (why: String, permission: Boolean) -> Unit,
    ) {
        stopBrowsing()
        LocalNetworkPermission.require(app)
        browsing = Browsing(nsd, serviceType, resolved, failed).also { permitted(it::start) }
    }

    @Synchronized
    override fun stopBrowsing() {
        browsing?.stop()
        browsing = null
    }

    @Synchronized
    override fun advertise(advertisement: Advertisement) {
        withdraw()
        LocalNetworkPermission.require(app)
        registration = Registration(nsd, serviceInfo(advertisement)).also { permitted(it::start) }
    }

    @Synchronized
    override fun withdraw() {
        registration?.stop()
        registration = null
    }
}

private inline fun permitted(call: () -> Unit) =
    try {
        call()
    } catch (refused: SecurityException) {
        throw ExoException(ErrorKind.NOT_PERMITTED, "Android does not allow DNS-SD: ${refused.message}", cause = refused)
    }
