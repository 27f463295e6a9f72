package dev.exo.mobile.sample

import android.app.Notification
import android.app.PendingIntent
import android.content.Context
import android.content.Intent
import dev.exo.mobile.NodeState
import dev.exo.mobile.android.NodeNotification

/** The SDK's plain notification, with our mark and a way back into the app. */
object SampleNotification : NodeNotification {
    override fun build(
        context: Context,
        state: NodeState,
        stop: PendingIntent,
    ): Notification {
        val open = Intent(context, MainActivity::class.java)
        return Notification.Builder
            .recoverBuilder(context, NodeNotification.Plain.build(context, state, stop))
            .setSmallIcon(R.drawable.tab_cluster)
            .setColor(context.getColor(R.color.accent))
            .setContentIntent(PendingIntent.getActivity(context, 0, open, PendingIntent.FLAG_IMMUTABLE))
            .build()
    }
}
