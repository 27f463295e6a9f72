package dev.exo.mobile.android

import android.content.Context
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.os.Build
import dev.exo.mobile.NetworkKind
import dev.exo.mobile.NetworkReadings
import dev.exo.mobile.Reading

/** The network that Android gives to who asks for none in particular, which is what the library's sockets use. */
internal fun networkOf(context: Context): NetworkReadings {
    val networks =
        context.getSystemService(ConnectivityManager::class.java)
            ?: return missing("ConnectivityManager").let { NetworkReadings(it, it) }
    return try {
        networks.getNetworkCapabilities(networks.activeNetwork)?.toReadings()
            ?: NetworkReadings(Reading.Measured(NetworkKind.NONE), Reading.Unavailable("there is no network"))
    } catch (refused: SecurityException) {
        val why = "the app's manifest lacks ACCESS_NETWORK_STATE: ${refused.message}"
        Reading.Unavailable(why).let { NetworkReadings(it, it) }
    }
}

private fun NetworkCapabilities.toReadings() = NetworkReadings(Reading.Measured(kind()), Reading.Measured(costsMoney()))

/** A VPN has the transport below it too. What carries it may change under us, so it counts as something else. */
internal fun NetworkCapabilities.kind(): NetworkKind =
    when {
        hasTransport(NetworkCapabilities.TRANSPORT_VPN) -> NetworkKind.OTHER
        hasTransport(NetworkCapabilities.TRANSPORT_ETHERNET) -> NetworkKind.ETHERNET
        hasTransport(NetworkCapabilities.TRANSPORT_WIFI) -> NetworkKind.WIFI
        hasTransport(NetworkCapabilities.TRANSPORT_CELLULAR) -> NetworkKind.CELLULAR
        else -> NetworkKind.OTHER
    }

internal fun NetworkCapabilities.costsMoney(): Boolean =
    !hasCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED) && !isFreeForNow()

private fun NetworkCapabilities.isFreeForNow() =
    Build.VERSION.SDK_INT >= Build.VERSION_CODES.R &&
        hasCapability(NetworkCapabilities.NET_CAPABILITY_TEMPORARILY_NOT_METERED)
