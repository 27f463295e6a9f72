package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import android.util.Log
import dev.exo.mobile.Service

/**
 * Before Android 14: the daemon resolves one service at a time and refuses a second one, so they wait for each other. It tells
 * no changes: a service that has changed is found again.
 */
internal class OneByOne(
    private val nsd: NsdManager,
    private val resolved: (Service) -> Unit,
) : Resolving {
    private val waiting = ArrayDeque<NsdServiceInfo>()
    private val retries = Retries()
    private var current: NsdServiceInfo? = null
    private var isClosed = false

    @Synchronized
    override fun found(service: NsdServiceInfo) {
        if (isClosed || waiting.any { it.serviceName == service.serviceName }) return
        waiting += service
        if (current == null) next()
    }

    @Synchronized
    override fun lost(service: NsdServiceInfo) {
        waiting.removeAll { it.serviceName == service.serviceName }
    }

    /** What is being resolved cannot be called back before Android 14. It is not heard any more. */
    @Synchronized
    override fun close() {
        isClosed = true
        waiting.clear()
    }

    @Synchronized
    private fun next() {
        retries.reset()
        current = waiting.removeFirstOrNull()
        resolveCurrent()
    }

    @Synchronized
    private fun resolveCurrent() {
        if (isClosed) return
        @Suppress("DEPRECATION")
        current?.let { nsd.resolveService(it, Listener()) }
    }

    @Synchronized
    private fun failed(
        service: NsdServiceInfo,
        code: Int,
    ) {
        if (isClosed || retries.plan(code, ::resolveCurrent)) return
        Log.w(logTag("discovery"), "${service.serviceName} could not be resolved: ${nsdWords(code)}")
        next()
    }

    private inner class Listener : NsdManager.ResolveListener {
        override fun onServiceResolved(service: NsdServiceInfo) {
            service.toService()?.let(resolved)
            next()
        }

        override fun onResolveFailed(
            service: NsdServiceInfo,
            errorCode: Int,
        ) = failed(service, errorCode)
    }
}
