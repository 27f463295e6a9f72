package dev.exo.mobile.android

import android.app.Activity
import android.content.Context
import android.content.Intent
import android.content.pm.PackageManager
import android.net.Uri
import android.os.Build
import android.provider.Settings
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException

/**
 * Whether this app may speak to the local network, on each Android from 8 to 17.
 *
 * Up to Android 16, or for an app that targets it, `INTERNET` is enough and nobody is asked. `NEARBY_WIFI_DEVICES` is not needed
 * either: it is for apps that manage Wi-Fi itself, and the library only uses the network that is there. From Android 17 on,
 * for an app that targets it, [NAME] is asked for at run time. Without it every connection in the local network fails: not
 * only the search, but the library's own sockets too. So ask before [dev.exo.mobile.ExoNode.join].
 *
 * ```kotlin
 * when (LocalNetworkPermission.state(activity)) {
 *     State.NOT_NEEDED, State.GRANTED -> join()
 *     State.DENIED -> LocalNetworkPermission.ask(activity, REQUEST)
 *     State.DENIED_FOR_GOOD -> activity.startActivity(LocalNetworkPermission.settings(activity))
 * }
 * ```
 *
 * Call [state] again in the activity's `onRequestPermissionsResult`: only what is seen after each answer tells a first no from
 * the last one.
 */
public object LocalNetworkPermission {
    /** The permission's name, which older versions do not know. */
    public const val NAME: String = "android.permission.ACCESS_LOCAL_NETWORK"

    /** Android 17. */
    private const val FIRST_ANDROID = 37
    private const val FILE = "dev.exo.mobile.permissions"
    private const val REFUSED_ONCE = "local network refused once"

    /** Where the permission stands. */
    public enum class State {
        /** This Android asks nobody, or not for an app such as this one. */
        NOT_NEEDED,

        /** The owner said yes. */
        GRANTED,

        /** Not asked yet, or the owner said no once: asking shows a dialogue. */
        DENIED,

        /** The owner said no again, so that Android shows no dialogue any more: only its settings help. */
        DENIED_FOR_GOOD,
    }

    /** Where the permission stands, as far as it can be told without an activity: a denial may be for good. */
    public fun state(context: Context): State =
        when {
            !isNeeded(context) -> State.NOT_NEEDED
            context.checkSelfPermission(NAME) == PackageManager.PERMISSION_GRANTED -> State.GRANTED
            else -> State.DENIED
        }

    /**
     * Where the permission stands.
     *
     * Android does not say when it stopped asking. It says that an explanation would be due after the first no, and not any more
     * after the last; what was seen before is kept, and makes the difference.
     */
    public fun state(activity: Activity): State {
        val state = state(activity as Context)
        val seen = activity.getSharedPreferences(FILE, Context.MODE_PRIVATE)
        if (state == State.GRANTED) seen.edit().remove(REFUSED_ONCE).apply()
        if (state != State.DENIED) return state
        if (activity.shouldShowRequestPermissionRationale(NAME)) {
            seen.edit().putBoolean(REFUSED_ONCE, true).apply()
            return State.DENIED
        }
        return if (seen.getBoolean(REFUSED_ONCE, false)) State.DENIED_FOR_GOOD else State.DENIED
    }

    /**
     * Asks the owner, if there is anything to ask for. The answer comes to the activity's `onRequestPermissionsResult` with this
     * [requestCode].
     *
     * @return whether Android was asked.
     */
    public fun ask(
        activity: Activity,
        requestCode: Int,
    ): Boolean {
        if (state(activity) != State.DENIED) return false
        activity.requestPermissions(arrayOf(NAME), requestCode)
        return true
    }

    /** The page of Android's settings on which the owner can allow it. */
    public fun settings(context: Context): Intent =
        Intent(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, Uri.fromParts("package", context.packageName, null))

    /** What [state] means, in words for people. */
    public fun explain(state: State): String =
        when (state) {
            State.NOT_NEEDED -> {
                "This Android lets every app speak to the local network."
            }

            State.GRANTED -> {
                "The local network is allowed."
            }

            State.DENIED -> {
                "Android blocks every connection to other devices in the local network until its owner allows it. " +
                    "Without it no cluster can be found, joined or heard."
            }

            State.DENIED_FOR_GOOD -> {
                "The local network was refused, and Android does not ask again. It can be allowed in the settings of this " +
                    "app, under Permissions, Nearby devices. Without it no cluster can be found, joined or heard."
            }
        }

    /** Fails as people shall see it where the permission is missing. */
    internal fun require(context: Context) {
        if (state(context) == State.DENIED) throw missing(null)
    }

    internal fun missing(cause: Throwable?) = ExoException(ErrorKind.NOT_PERMITTED, explain(State.DENIED), cause = cause)

    private fun isNeeded(context: Context) =
        Build.VERSION.SDK_INT >= FIRST_ANDROID && context.applicationInfo.targetSdkVersion >= FIRST_ANDROID
}
