package dev.exo.mobile.android

import android.app.Activity
import android.app.ActivityManager
import android.app.ActivityManager.RunningAppProcessInfo
import android.app.Application
import android.content.Context
import android.os.Bundle

/**
 * Whether the app is on the screen: whether any of its activities is started.
 *
 * Those that were started before are not told by Android, so the process's importance says what holds at first.
 */
internal class ScreenWatch(
    context: Context,
    private val shown: (Boolean) -> Unit,
) : Watch {
    private val application = context as? Application
    private val started = mutableSetOf<Activity>()
    private val callbacks = Callbacks()

    override fun start() {
        application?.registerActivityLifecycleCallbacks(callbacks)
        shown(isInFront())
    }

    override fun stop() {
        application?.unregisterActivityLifecycleCallbacks(callbacks)
        synchronized(started) { started.clear() }
    }

    private fun isInFront(): Boolean {
        val process = RunningAppProcessInfo().also(ActivityManager::getMyMemoryState)
        return process.importance == RunningAppProcessInfo.IMPORTANCE_FOREGROUND
    }

    private fun came(activity: Activity) {
        if (synchronized(started) { started.add(activity) && started.size == 1 }) shown(true)
    }

    private fun went(activity: Activity) {
        val isLast =
            synchronized(started) {
                started.remove(activity)
                started.isEmpty()
            }
        // An activity that is turned around stops too, and its successor starts at once.
        if (isLast && !activity.isChangingConfigurations) shown(false)
    }

    private inner class Callbacks : Application.ActivityLifecycleCallbacks {
        override fun onActivityStarted(activity: Activity) = came(activity)

        // One that was started before we looked.
        override fun onActivityResumed(activity: Activity) = came(activity)

        override fun onActivityStopped(activity: Activity) = went(activity)

        override fun onActivityCreated(
            activity: Activity,
            savedInstanceState: Bundle?,
        ) = Unit

        override fun onActivityPaused(activity: Activity) = Unit

        override fun onActivitySaveInstanceState(
            activity: Activity,
            outState: Bundle,
        ) = Unit

        override fun onActivityDestroyed(activity: Activity) = Unit
    }
}
