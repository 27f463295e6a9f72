package dev.exo.mobile.android

import android.content.Context
import android.net.wifi.WifiManager
import dev.exo.mobile.ExoNode
import dev.exo.mobile.Provider
import dev.exo.mobile.SearchActivity
import dev.exo.mobile.SearchStatus
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.distinctUntilChanged
import kotlinx.coroutines.flow.map

/**
 * Android's Wi-Fi drops multicast that no app asked for, since hearing it costs battery. exo's own Hello is such multicast;
 * DNS-SD and the other ways of searching need nothing of the kind.
 *
 * [ExoNodeService] does this by itself. An app that joins without it calls [hearFor].
 */
public object MulticastSearch {
    /**
     * Lets multicast through while [node] searches by it, and only then. Returns when the node is over, and ends with its
     * coroutine.
     */
    public suspend fun hearFor(
        node: ExoNode,
        context: Context,
    ): Unit = hear(node.searches, context)

    internal suspend fun hear(
        searches: Flow<List<SearchStatus>>,
        context: Context,
    ) {
        val wifi = context.ofApplication().getSystemService(WifiManager::class.java) ?: return
        val lock = wifi.createMulticastLock("exo: searching").apply { setReferenceCounted(false) }
        try {
            searches.map(::isByMulticast).distinctUntilChanged().collect { if (it) lock.acquire() else lock.free() }
        } finally {
            lock.free()
        }
    }

    /** Android ends an app that gives back a lock which it does not hold. */
    private fun WifiManager.MulticastLock.free() {
        if (isHeld) release()
    }

    private fun isByMulticast(search: List<SearchStatus>) =
        search.any { it.provider == Provider.MULTICAST && it.activity == SearchActivity.SEARCHING }
}
