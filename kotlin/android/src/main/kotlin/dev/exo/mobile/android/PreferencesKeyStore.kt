package dev.exo.mobile.android

import android.content.Context
import android.content.SharedPreferences
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.KeyStore

/**
 * Keeps the node's identity in the app's private preferences, in the file [FILE].
 *
 * The identity is a name, not a secret: it needs no encryption, but no two phones may share it. So leave that file out of
 * backups and of transfers to a new phone; docs/android-permissions.md has the lines for the app's rules.
 */
public class PreferencesKeyStore(
    context: Context,
) : KeyStore {
    private val app = context.ofApplication()

    override fun load(): String? = preferences().getString(IDENTITY, null)

    override fun save(identity: String) {
        // `commit` waits for the disk and says whether it worked; `apply` does neither.
        if (!preferences().edit().putString(IDENTITY, identity).commit()) {
            throw ExoException(ErrorKind.STORAGE, "the identity could not be written to the app's preferences")
        }
    }

    private fun preferences(): SharedPreferences =
        try {
            app.getSharedPreferences(FILE, Context.MODE_PRIVATE)
        } catch (locked: IllegalStateException) {
            throw ExoException(
                ErrorKind.NOT_PERMITTED,
                "the phone was not unlocked since it started, and until then its storage is closed; join after it was",
                cause = locked,
            )
        }

    public companion object {
        /** The name of the file, without its ending `.xml`. */
        public const val FILE: String = "dev.exo.mobile.identity"

        private const val IDENTITY = "identity"
    }
}
