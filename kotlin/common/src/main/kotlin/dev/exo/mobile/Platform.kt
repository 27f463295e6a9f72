package dev.exo.mobile

import dev.exo.mobile.core.Platform as CorePlatform

/**
 * What an app does for the library. What is left out, the library does itself as far as it can.
 *
 * The library calls this code on threads that nothing else waits for. It may be slow, it may throw and it may call back.
 *
 * @property probe How the device is. Left out, the files of a Linux machine are read.
 * @property discovery DNS-SD, by the system's own daemon. Left out, a computer does it itself and a phone does without.
 * @property keys Where the node's identity is kept. Left out, it is a file in [JoinOptions.dataDir].
 * @property log Where the library's log goes. Left out, nowhere.
 * @property lifecycle When the app comes to the front, and goes.
 * @property models Models that the cluster may have, as far as they were [offered][ModelHost.offer]. Left out, this device
 *   answers nothing. The host stays the app's own: it outlives the node, and is the app's to close.
 */
public data class Platform(
    public val probe: Probe? = null,
    public val discovery: DiscoveryProvider? = null,
    public val keys: KeyStore? = null,
    public val log: LogSink? = null,
    public val lifecycle: Lifecycle? = null,
    public val models: ModelHost? = null,
)

internal fun Platform.toCore() =
    CorePlatform(
        probe = probe?.let(::AppProbe),
        discovery = discovery?.let(::AppDiscovery),
        keys = keys?.let(::AppKeys),
        log = log?.let(::AppLog),
        lifecycle = lifecycle?.let(::AppLifecycle),
        models = models?.core,
    )
