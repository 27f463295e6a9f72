package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import android.util.Log
import dev.exo.mobile.Service

/** From Android 14 on: each service is followed, any number at once, and each change is told. */
internal class Following(
    private val nsd: NsdManager,
    private val resolved: (Service) -> Unit,
) : Resolving {
    private val followed = mutableMapOf<String, Callback>()
    private var isClosed = false

    @Synchronized
    override fun found(service: NsdServiceInfo) {
        val name = service.serviceName
        if (isClosed || name in followed) return
        val callback = Callback(name)
        followed[name] = callback
        nsd.registerServiceInfoCallback(service, Runnable::run, callback)
    }

    @Synchronized
    override fun lost(service: NsdServiceInfo) = unfollow(service.serviceName)

    @Synchronized
    override fun close() {
        isClosed = true
        followed.keys.toList().forEach(::unfollow)
    }

    private fun unfollow(name: String) {
        followed.remove(name)?.let { callback -> quietly { nsd.unregisterServiceInfoCallback(callback) } }
    }

    @Synchronized
    private fun forget(callback: Callback) {
        followed.remove(callback.name, callback)
    }

    private inner class Callback(
        val name: String,
    ) : NsdManager.ServiceInfoCallback {
        override fun onServiceUpdated(service: NsdServiceInfo) {
            service.toService()?.let(resolved)
        }

        override fun onServiceInfoCallbackRegistrationFailed(errorCode: Int) {
            Log.w(logTag("discovery"), "$name could not be resolved: ${nsdWords(errorCode)}")
            forget(this)
        }

        // It may come back, and then it is told again.
        override fun onServiceLost() = Unit

        override fun onServiceInfoCallbackUnregistered() = Unit
    }
}
