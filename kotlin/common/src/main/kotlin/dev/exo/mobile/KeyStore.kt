package dev.exo.mobile

import dev.exo.mobile.core.KeyStore as CoreKeyStore

/**
 * Keeps the node's identity, such as in encrypted preferences. exo remembers every identity until its session ends, so a phone
 * shall keep its own.
 *
 * Called by [ExoNode.join], on its thread. One that cannot be kept is used for this run, and [ExoNode.notes] says so.
 */
public interface KeyStore {
    /** The identity that was kept, if there is one. What this throws, [ExoNode.join] throws. */
    public fun load(): String?

    /** Keeps this one from now on. */
    public fun save(identity: String)
}

internal class AppKeys(
    private val keys: KeyStore,
) : CoreKeyStore {
    override fun load(): String? = answering { keys.load() }

    override fun save(identity: String): Unit = answering { keys.save(identity) }
}
