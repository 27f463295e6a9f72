package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import android.os.Build
import dev.exo.mobile.Service

/** Turns services that were found, which have but a name, into such with addresses, a port and a TXT record. */
internal interface Resolving {
    fun found(service: NsdServiceInfo)

    fun lost(service: NsdServiceInfo)

    fun close()

    companion object {
        fun on(
            nsd: NsdManager,
            resolved: (Service) -> Unit,
        ): Resolving =
            if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.UPSIDE_DOWN_CAKE) {
                Following(nsd, resolved)
            } else {
                OneByOne(nsd, resolved)
            }
    }
}
