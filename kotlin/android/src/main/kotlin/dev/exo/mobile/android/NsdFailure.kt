package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.os.Handler
import android.os.Looper

/** What a code of `NsdManager` means, for people. */
internal fun nsdWords(code: Int): String =
    when (code) {
        NsdManager.FAILURE_INTERNAL_ERROR -> "Android's DNS-SD daemon failed"
        NsdManager.FAILURE_ALREADY_ACTIVE -> "Android's DNS-SD daemon is still busy with the last request"
        NsdManager.FAILURE_MAX_LIMIT -> "this app has too many DNS-SD requests at once"
        NSD_PERMISSION_DENIED -> LocalNetworkPermission.explain(LocalNetworkPermission.State.DENIED)
        else -> "Android's DNS-SD daemon failed with the code $code"
    }

/** `NsdManager.FAILURE_PERMISSION_DENIED`, which older versions do not have. */
internal const val NSD_PERMISSION_DENIED = 7

/**
 * Another try, a little later each time, for a daemon that says `FAILURE_ALREADY_ACTIVE`: it takes a moment to forget what was
 * just stopped.
 */
internal class Retries {
    private val handler by lazy { Handler(Looper.getMainLooper()) }
    private var tries = 0

    /** Plans [again], unless it was tried often enough. Says whether it did. */
    @Synchronized
    fun plan(
        code: Int,
        again: () -> Unit,
    ): Boolean {
        if (code != NsdManager.FAILURE_ALREADY_ACTIVE || tries == MOST) return false
        tries += 1
        handler.postDelayed(again, FIRST_MS * tries)
        return true
    }

    @Synchronized
    fun reset() {
        tries = 0
    }

    companion object {
        const val MOST = 5
        const val FIRST_MS = 250L
    }
}
