package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import android.util.Log

/** One service that is advertised, from its start to its stop. */
internal class Registration(
    private val nsd: NsdManager,
    private val service: NsdServiceInfo,
) {
    private val retries = Retries()
    private var asked: NsdManager.RegistrationListener? = null
    private var isOver = false

    @Synchronized
    fun start() {
        if (isOver) return
        val listener = Listener()
        asked = listener
        nsd.registerService(service, NsdManager.PROTOCOL_DNS_SD, listener)
    }

    @Synchronized
    fun stop() {
        isOver = true
        asked?.let { listener -> quietly { nsd.unregisterService(listener) } }
        asked = null
    }

    /** Nobody waits for this answer any more. The others find us less easily, and we them as before. */
    @Synchronized
    private fun refused(code: Int) {
        asked = null
        if (isOver || retries.plan(code, ::startAgain)) return
        unheard(nsdWords(code))
    }

    private fun startAgain() =
        try {
            start()
        } catch (refused: SecurityException) {
            unheard("Android does not allow it: ${refused.message}")
        }

    private fun unheard(why: String) {
        Log.w(logTag("discovery"), "this phone is not advertised: $why")
    }

    private inner class Listener : NsdManager.RegistrationListener {
        // Where the name was taken, Android chose another. Nobody asks for us by name.
        override fun onServiceRegistered(service: NsdServiceInfo) = Unit

        override fun onRegistrationFailed(
            service: NsdServiceInfo,
            errorCode: Int,
        ) = refused(errorCode)

        override fun onServiceUnregistered(service: NsdServiceInfo) = Unit

        override fun onUnregistrationFailed(
            service: NsdServiceInfo,
            errorCode: Int,
        ) = Unit
    }
}
