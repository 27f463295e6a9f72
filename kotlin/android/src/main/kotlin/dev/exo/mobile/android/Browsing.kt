package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import dev.exo.mobile.Service

/**
 * One search by DNS-SD, from its start to its stop. What the daemon says afterwards is not heard.
 *
 * The daemon calls back from a thread of its own, at times from within a call to it.
 */
internal class Browsing(
    private val nsd: NsdManager,
    private val serviceType: String,
    resolved: (Service) -> Unit,
    private val failed: (why: String, permission: Boolean) -> Unit,
) {
    private val resolving = Resolving.on(nsd) { service -> if (!isOver) resolved(service) }
    private val retries = Retries()
    private var asked: NsdManager.DiscoveryListener? = null
    private var isOver = false

    @Synchronized
    fun start() {
        if (isOver) return
        // The daemon knows a request by its listener, so each has one of its own.
        val listener = Listener()
        asked = listener
        nsd.discoverServices(serviceType, NsdManager.PROTOCOL_DNS_SD, listener)
    }

    @Synchronized
    fun stop() {
        isOver = true
        asked?.let { listener -> quietly { nsd.stopServiceDiscovery(listener) } }
        asked = null
        resolving.close()
    }

    @Synchronized
    private fun broke(code: Int) {
        asked = null
        if (isOver || retries.plan(code, ::startAgain)) return
        isOver = true
        resolving.close()
        failed(nsdWords(code), code == NSD_PERMISSION_DENIED)
    }

    private fun startAgain() =
        try {
            start()
        } catch (refused: SecurityException) {
            stop()
            failed("Android does not allow DNS-SD: ${refused.message}", true)
        }

    private inner class Listener : NsdManager.DiscoveryListener {
        override fun onDiscoveryStarted(serviceType: String) = retries.reset()

        override fun onServiceFound(service: NsdServiceInfo) = resolving.found(service)

        override fun onServiceLost(service: NsdServiceInfo) = resolving.lost(service)

        override fun onStartDiscoveryFailed(
            serviceType: String,
            errorCode: Int,
        ) = broke(errorCode)

        override fun onDiscoveryStopped(serviceType: String) = Unit

        override fun onStopDiscoveryFailed(
            serviceType: String,
            errorCode: Int,
        ) = Unit
    }
}

/** The daemon does not know a listener any more, for instance because it failed meanwhile: all the better. */
internal inline fun quietly(stop: () -> Unit) {
    try {
        stop()
    } catch (_: IllegalArgumentException) {
        // It is stopped.
    }
}
