package dev.exo.mobile.android

import android.content.Context
import dev.exo.mobile.Platform

/**
 * All that Android does for the library, together:
 *
 * ```kotlin
 * val node = ExoNode.join(JoinOptions(dataDir = context.filesDir), AndroidPlatform.of(context))
 * ```
 *
 * Each part may be replaced: `AndroidPlatform.of(context).copy(log = null)`. A node that shall outlive the screen belongs into
 * [ExoNodeService]; from Android 17 on, ask for [LocalNetworkPermission] first.
 */
public object AndroidPlatform {
    /**
     * The defaults, for one node at a time. Any [context] will do: only the application's own is kept.
     */
    @JvmStatic
    public fun of(context: Context): Platform {
        val app = context.ofApplication()
        return Platform(
            probe = AndroidProbe(app),
            discovery = NsdDiscovery(app),
            keys = PreferencesKeyStore(app),
            log = LogcatSink(),
            lifecycle = AppLifecycle(app),
        )
    }
}

/** The context that lives as long as the process. While the application itself is being made, there is only the one given. */
internal fun Context.ofApplication(): Context = applicationContext ?: this
