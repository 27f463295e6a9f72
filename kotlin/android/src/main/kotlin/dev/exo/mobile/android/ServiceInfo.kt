package dev.exo.mobile.android

import android.net.nsd.NsdServiceInfo
import android.os.Build
import dev.exo.mobile.Advertisement
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.Service
import java.net.Inet6Address
import java.net.InetAddress

// Services as Android writes them, and as we do.

/** A service that was resolved; null while no address or port is known. */
internal fun NsdServiceInfo.toService(): Service? {
    val known = addresses()
    if (known.isEmpty() || port !in 1..MOST_PORT) return null
    return Service(
        name = serviceName,
        // A scope (`fe80::1%wlan0`) is told once, as the interface.
        addresses = known.map { it.hostAddress.orEmpty().substringBefore('%') },
        port = port,
        txt = attributes.orEmpty().mapValues { (_, value) -> value?.decodeToString().orEmpty() },
        interfaceIndex = known.firstNotNullOfOrNull { (it as? Inet6Address)?.scopeId?.takeIf { scope -> scope > 0 } },
    )
}

/** Android 14 knows all addresses of a host, older versions one. */
private fun NsdServiceInfo.addresses(): List<InetAddress> =
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.UPSIDE_DOWN_CAKE) {
        hostAddresses
    } else {
        @Suppress("DEPRECATION")
        listOfNotNull(host)
    }

internal fun serviceInfo(advertisement: Advertisement): NsdServiceInfo =
    NsdServiceInfo().apply {
        serviceName = advertisement.name
        serviceType = advertisement.serviceType
        port = advertisement.port
        advertisement.txt.forEach { (key, value) ->
            try {
                setAttribute(key, value)
            } catch (refused: IllegalArgumentException) {
                throw ExoException(
                    ErrorKind.INVALID_ARGUMENT,
                    "the TXT entry $key cannot be advertised: ${refused.message}",
                    cause = refused,
                )
            }
        }
    }

private const val MOST_PORT = 65_535
