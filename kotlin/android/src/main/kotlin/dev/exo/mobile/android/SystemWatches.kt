package dev.exo.mobile.android

import android.content.BroadcastReceiver
import android.content.ComponentCallbacks2
import android.content.Context
import android.content.Intent
import android.content.IntentFilter
import android.content.res.Configuration
import android.net.ConnectivityManager
import android.net.Network
import android.net.NetworkCapabilities
import android.os.Build
import android.os.PowerManager
import dev.exo.mobile.NetworkKind

// What the system says by itself. Each only wakes the probe, which then looks properly.

/** From Android 10 on: the thermal status. Before, the probe looks when it is its turn. */
internal class HeatWatch(
    context: Context,
    private val changed: () -> Unit,
) : Watch {
    private val power: PowerManager? = context.getSystemService(PowerManager::class.java)

    // A type that older versions do not have: not before it is needed.
    private val listener by lazy { PowerManager.OnThermalStatusChangedListener { changed() } }

    override fun start() {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) power?.addThermalStatusListener(listener)
    }

    override fun stop() {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) power?.removeThermalStatusListener(listener)
    }
}

/** The charger, a battery that is low, and whether the owner wants to save power. Not each percent: that would wake us often. */
internal class BatteryWatch(
    private val context: Context,
    private val changed: () -> Unit,
) : Watch {
    private val receiver =
        object : BroadcastReceiver() {
            override fun onReceive(
                context: Context,
                intent: Intent,
            ) = changed()
        }

    override fun start() {
        val filter = IntentFilter().apply { WORDS.forEach(::addAction) }
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU) {
            context.registerReceiver(receiver, filter, Context.RECEIVER_NOT_EXPORTED)
        } else {
            context.registerReceiver(receiver, filter)
        }
    }

    override fun stop() = quietly { context.unregisterReceiver(receiver) }

    private companion object {
        val WORDS =
            listOf(
                Intent.ACTION_POWER_CONNECTED,
                Intent.ACTION_POWER_DISCONNECTED,
                Intent.ACTION_BATTERY_LOW,
                Intent.ACTION_BATTERY_OKAY,
                PowerManager.ACTION_POWER_SAVE_MODE_CHANGED,
            )
    }
}

/** What carries the network and whether it costs money. Its strength changes all the time, and nobody asked. */
internal class NetworkWatch(
    context: Context,
    private val changed: () -> Unit,
) : Watch {
    private val networks: ConnectivityManager? = context.getSystemService(ConnectivityManager::class.java)
    private val callback = Callback()

    override fun start() {
        networks?.registerDefaultNetworkCallback(callback)
    }

    override fun stop() = quietly { networks?.unregisterNetworkCallback(callback) }

    private inner class Callback : ConnectivityManager.NetworkCallback() {
        private var last: Pair<NetworkKind, Boolean>? = null

        override fun onCapabilitiesChanged(
            network: Network,
            capabilities: NetworkCapabilities,
        ) {
            val now = capabilities.kind() to capabilities.costsMoney()
            if (now != last) changed()
            last = now
        }

        override fun onLost(network: Network) {
            last = null
            changed()
        }
    }
}

/** When the system wants memory back. */
internal class MemoryWatch(
    private val context: Context,
    private val changed: () -> Unit,
) : Watch {
    private val callbacks =
        object : ComponentCallbacks2 {
            override fun onTrimMemory(level: Int) {
                // It comes whenever the app leaves the screen, and newer Androids send only it and TRIM_MEMORY_BACKGROUND: to
                // take it for a shortage would be to find one each time that the owner looks elsewhere.
                if (level != ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN) changed()
            }

            @Deprecated("Android calls it still")
            override fun onLowMemory() = changed()

            override fun onConfigurationChanged(newConfig: Configuration) = Unit
        }

    override fun start() = context.registerComponentCallbacks(callbacks)

    override fun stop() = context.unregisterComponentCallbacks(callbacks)
}
