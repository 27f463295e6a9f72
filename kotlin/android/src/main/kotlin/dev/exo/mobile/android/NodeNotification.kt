package dev.exo.mobile.android

import android.app.Notification
import android.app.PendingIntent
import android.content.Context
import android.os.Build
import dev.exo.mobile.NodeState

/**
 * What [ExoNodeService] shows while it runs. An app that has words, colours or an icon of its own gives its own one to
 * [ExoNodeService.notification].
 */
public fun interface NodeNotification {
    /**
     * The notification for this [state], in the channel [ExoNodeService.CHANNEL]. [stop] makes the node leave: an action with it
     * lets the owner end what runs on their phone.
     */
    public fun build(
        context: Context,
        state: NodeState,
        stop: PendingIntent,
    ): Notification

    public companion object {
        /** A plain one, in English. */
        public val Plain: NodeNotification = NodeNotification(::plain)

        /** What [state] means, in words for people. */
        public fun words(state: NodeState): String =
            when (state) {
                is NodeState.Searching -> "Searching for a cluster"
                is NodeState.Connecting -> "Connecting to ${state.to}"
                is NodeState.Joining -> "Joining the cluster"
                is NodeState.Joined -> "Member of a cluster of ${state.nodes} devices"
                is NodeState.ListeningOnly -> "Listening only: ${state.why}"
                is NodeState.Degraded -> "Something is wrong and is being repaired: ${state.why}"
                is NodeState.Draining -> "Leaving the cluster"
                is NodeState.Left -> "Left the cluster"
                is NodeState.Failed -> "Stopped by a fault: ${state.why}"
            }
    }
}

private fun plain(
    context: Context,
    state: NodeState,
    stop: PendingIntent,
): Notification {
    val words = NodeNotification.words(state)
    val notification =
        Notification
            .Builder(context, ExoNodeService.CHANNEL)
            .setSmallIcon(android.R.drawable.stat_notify_sync)
            .setContentTitle("exo")
            .setContentText(words)
            .setStyle(Notification.BigTextStyle().bigText(words))
            .setCategory(Notification.CATEGORY_SERVICE)
            .setOngoing(true)
            .setOnlyAlertOnce(true)
            .addAction(Notification.Action.Builder(null, "Stop", stop).build())
    // Else Android waits ten seconds before it shows what runs.
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
        notification.setForegroundServiceBehavior(Notification.FOREGROUND_SERVICE_IMMEDIATE)
    }
    return notification.build()
}
