package dev.exo.mobile.android

import android.app.Activity
import android.app.ActivityManager
import android.app.ActivityManager.RunningAppProcessInfo
import android.content.BroadcastReceiver
import android.content.ComponentCallbacks2
import android.content.ContextWrapper
import android.content.Intent
import android.content.IntentFilter
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.os.Build
import android.os.PowerManager
import android.os.Process
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.Group
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowNetworkCapabilities
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** What becomes of the app, and what the system says of the phone. */
@RunWith(RobolectricTestRunner::class)
class AppLifecycleTest {
    private val lifecycle = AppLifecycle(app)
    private val shown = mutableListOf<Boolean>()
    private val noticed = mutableListOf<Group>()

    @Test
    fun `an app with activities on the screen is shown, however many they are`() {
        isInFront(false)
        watch()
        val first = Robolectric.buildActivity(Activity::class.java).create().start()
        val second = Robolectric.buildActivity(Activity::class.java).create().start()
        first.stop()
        assertEquals(listOf(false, true), shown)
        second.stop()
        assertEquals(listOf(false, true, false), shown)
    }

    @Test
    fun `an app that is on the screen already is told as shown, and is gone when it goes`() {
        isInFront(true)
        val early = Robolectric.buildActivity(Activity::class.java).setup()
        watch()
        assertEquals(listOf(true), shown)
        early.pause().stop()
        assertEquals(listOf(true, false), shown)
    }

    @Test
    fun `a phone that is turned around does not take the app from the screen`() {
        watch()
        shown.clear()
        val activity = Robolectric.buildActivity(Activity::class.java).setup()
        activity.recreate()
        assertEquals(false, false in shown)
    }

    @Test
    @Config(sdk = [34, 37])
    fun `heat is noticed when the system says so`() {
        watch()
        shadowOf(system<PowerManager>()).setCurrentThermalStatus(PowerManager.THERMAL_STATUS_SEVERE)
        assertTrue(Group.THERMAL in noticed)
    }

    @Test
    fun `the charger and the owner's wish to save power are noticed`() {
        watch()
        listOf(Intent.ACTION_POWER_CONNECTED, PowerManager.ACTION_POWER_SAVE_MODE_CHANGED).forEach {
            app.sendBroadcast(Intent(it))
            mainThread()
        }
        assertEquals(listOf(Group.BATTERY, Group.BATTERY), noticed)
    }

    @Test
    fun `a network is noticed when its kind or its price changes, not when its strength does`() {
        watch()
        val networks = system<ConnectivityManager>()
        val network = checkNotNull(networks.activeNetwork)
        val callback = shadowOf(networks).networkCallbacks.single()

        fun capabilities(free: Boolean): NetworkCapabilities =
            ShadowNetworkCapabilities.newInstance().also {
                shadowOf(it).addTransportType(NetworkCapabilities.TRANSPORT_WIFI)
                if (free) shadowOf(it).addCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED)
                if (!free) shadowOf(it).removeCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED)
            }
        callback.onCapabilitiesChanged(network, capabilities(free = true))
        callback.onCapabilitiesChanged(network, capabilities(free = true))
        assertEquals(listOf(Group.NETWORK), noticed)
        callback.onCapabilitiesChanged(network, capabilities(free = false))
        callback.onLost(network)
        assertEquals(listOf(Group.NETWORK, Group.NETWORK, Group.NETWORK), noticed)
    }

    @Test
    fun `memory is noticed when the system wants some back`() {
        watch()
        app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_BACKGROUND)
        assertEquals(listOf(Group.MEMORY), noticed)
    }

    @Test
    fun `an app that leaves the screen is not short of memory for that`() {
        watch()
        app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN)
        assertEquals(emptyList(), noticed)
    }

    @Test
    fun `after the end nothing stays registered, and ending twice is no error`() {
        watch()
        lifecycle.unwatch()
        lifecycle.unwatch()
        shown.clear()
        noticed.clear()
        Robolectric.buildActivity(Activity::class.java).setup()
        app.sendBroadcast(Intent(Intent.ACTION_POWER_CONNECTED))
        mainThread()
        app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_BACKGROUND)
        shadowOf(system<PowerManager>()).let { power ->
            if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) power.setCurrentThermalStatus(PowerManager.THERMAL_STATUS_LIGHT)
        }
        assertEquals(0, shadowOf(system<ConnectivityManager>()).networkCallbacks.size)
        assertEquals(emptyList<Any>(), shown + noticed)
    }

    @Test
    @Config(sdk = [34])
    fun `what Android refuses to tell holds up nothing else`() {
        val refusing =
            object : ContextWrapper(app) {
                override fun getApplicationContext() = this

                override fun registerReceiver(
                    receiver: BroadcastReceiver?,
                    filter: IntentFilter?,
                    flags: Int,
                ) = throw SecurityException("no")
            }
        val lifecycle = AppLifecycle(refusing)
        lifecycle.watch(shown::add) { noticed += it }
        noticed.clear()
        val networks = system<ConnectivityManager>()
        shadowOf(networks).networkCallbacks.single().onLost(checkNotNull(networks.activeNetwork))
        assertEquals(listOf(Group.NETWORK), noticed)
        lifecycle.unwatch()
    }

    @Test
    fun `a node that does not listen does not end the app`() {
        lifecycle.watch({ throw ExoException(ErrorKind.SYSTEM, "busy") }, { throw ExoException(ErrorKind.SYSTEM, "busy") })
        Robolectric.buildActivity(Activity::class.java).setup()
        app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_BACKGROUND)
    }

    private fun watch() {
        lifecycle.watch(shown::add) { noticed += it }
        // Heat is told at once, as it is.
        noticed.clear()
    }

    private fun isInFront(isIt: Boolean) {
        val process = RunningAppProcessInfo()
        process.pid = Process.myPid()
        process.importance = if (isIt) RunningAppProcessInfo.IMPORTANCE_FOREGROUND else RunningAppProcessInfo.IMPORTANCE_CACHED
        shadowOf(system<ActivityManager>()).setProcesses(listOf(process))
    }
}
