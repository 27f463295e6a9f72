package dev.exo.mobile.android

import android.app.Notification
import android.app.NotificationChannel
import android.app.NotificationManager
import android.app.PendingIntent
import android.app.Service
import android.content.Context
import android.content.Intent
import android.content.pm.ServiceInfo
import android.os.Build
import android.os.IBinder
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.ExoNode
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.NodeState
import dev.exo.mobile.Platform
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * A node that goes on while the app is not on the screen: a foreground service of the type `connectedDevice`, with a
 * notification that says how it stands and lets the owner stop it.
 *
 * It leaves the cluster properly, within a few seconds, when it is stopped, when the owner swipes the app away, and when the
 * system says that its time is over. It does not start again by itself: Android lets apps start it only while they are on the
 * screen.
 *
 * ```kotlin
 * ExoNodeService.start(activity)
 * ExoNodeService.node.filterNotNull().collect { node -> render(node) }
 * ```
 */
public class ExoNodeService : Service() {
    private val course by lazy { ServiceCourse(this, joining, ::show, ::end) }
    private var lastStart = 0
    private var isWantedAgain = false

    override fun onCreate() {
        super.onCreate()
        current = this
        val channel = NotificationChannel(CHANNEL, "Cluster", NotificationManager.IMPORTANCE_LOW)
        channel.description = "Shown while this device is a member of a cluster, or searches one"
        getSystemService(NotificationManager::class.java)?.createNotificationChannel(channel)
    }

    override fun onStartCommand(
        intent: Intent?,
        flags: Int,
        startId: Int,
    ): Int {
        lastStart = startId
        if (intent?.action == ACTION_STOP) {
            drain(FEW_SECONDS)
        } else {
            isWantedAgain = course.isStopping
            begin()
        }
        return START_NOT_STICKY
    }

    private fun begin() {
        try {
            if (!course.isRunning) inForeground(notificationOf(NodeState.Searching))
        } catch (refused: RuntimeException) {
            return end(refusal(refused))
        }
        // In a new process nobody knows any more how to join.
        val wanted = wanted ?: return end(null)
        faults.value = null
        course.start(wanted)
    }

    override fun onTaskRemoved(rootIntent: Intent?): Unit = drain(FEW_SECONDS)

    override fun onTimeout(startId: Int): Unit = drain(AT_ONCE)

    override fun onTimeout(
        startId: Int,
        fgsType: Int,
    ): Unit = drain(AT_ONCE)

    override fun onDestroy() {
        course.destroy()
        nodes.value = null
        if (current === this) current = null
        super.onDestroy()
    }

    override fun onBind(intent: Intent?): IBinder? = null

    private fun drain(within: Duration) = course.stop(within)

    private fun show(
        state: NodeState,
        node: ExoNode?,
    ) {
        nodes.value = node
        getSystemService(NotificationManager::class.java)?.notify(NOTIFICATION, notificationOf(state))
    }

    /** The course is run. If somebody started the service while it was stopping, another one begins. */
    private fun end(why: ExoException?) {
        nodes.value = null
        if (why != null) faults.value = why
        if (isWantedAgain) {
            isWantedAgain = false
            return begin()
        }
        stopForeground(STOP_FOREGROUND_REMOVE)
        // Not if a start is on its way: it would be lost.
        stopSelf(lastStart)
    }

    private fun notificationOf(state: NodeState): Notification {
        val intent = Intent(this, ExoNodeService::class.java).setAction(ACTION_STOP)
        return notification.build(this, state, PendingIntent.getService(this, 0, intent, PendingIntent.FLAG_IMMUTABLE))
    }

    private fun inForeground(notification: Notification) {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.Q) {
            startForeground(NOTIFICATION, notification, ServiceInfo.FOREGROUND_SERVICE_TYPE_CONNECTED_DEVICE)
        } else {
            startForeground(NOTIFICATION, notification)
        }
    }

    /** How to join. */
    internal class Wanted(
        val options: JoinOptions,
        val platform: Platform,
    )

    public companion object {
        /** The channel of [notification]. */
        public const val CHANNEL: String = "dev.exo.mobile.node"

        /** What is shown while the service runs. Set it before [start]. */
        @Volatile
        public var notification: NodeNotification = NodeNotification.Plain

        /** The node, from the moment it joins until it has left. It is the service's to close. */
        public val node: StateFlow<ExoNode?> get() = nodes.asStateFlow()

        /** Why the service ended by itself the last time, or could not begin. */
        public val fault: StateFlow<ExoException?> get() = faults.asStateFlow()

        private val nodes = MutableStateFlow<ExoNode?>(null)
        private val faults = MutableStateFlow<ExoException?>(null)
        private var wanted: Wanted? = null
        private var current: ExoNodeService? = null
        internal var joining = Joining.Really

        internal const val NOTIFICATION = 0xE0
        internal const val ACTION_STOP = "dev.exo.mobile.android.STOP"
        private val FEW_SECONDS = 4.seconds
        private val AT_ONCE = 2.seconds

        /**
         * Starts the service, which joins at once. Started again while it runs, it goes on as it is.
         *
         * Call it on the main thread, while the app is on the screen. [options] without a data directory get one that is never
         * backed up.
         *
         * @throws ExoException of the kind `SUSPENDED` while the app is not on the screen, `NOT_PERMITTED` if the app's manifest
         *   lacks what the service needs.
         */
        @JvmStatic
        @JvmOverloads
        public fun start(
            context: Context,
            options: JoinOptions = JoinOptions(),
            platform: Platform = AndroidPlatform.of(context),
        ) {
            val dataDir = options.dataDir ?: context.noBackupFilesDir.resolve("exo").apply { mkdirs() }
            wanted = Wanted(options.copy(dataDir = dataDir), platform)
            try {
                context.startForegroundService(Intent(context, ExoNodeService::class.java))
            } catch (refused: RuntimeException) {
                throw refusal(refused)
            }
        }

        /** Leaves the cluster and ends the service. Does nothing where none runs. Call it on the main thread. */
        @JvmStatic
        public fun stop() {
            current?.drain(FEW_SECONDS)
        }
    }
}

/** What Android meant by refusing to start the service. */
private fun refusal(refused: RuntimeException): ExoException =
    when (refused) {
        // Since Android 12 this is a ForegroundServiceStartNotAllowedException.
        is IllegalStateException -> {
            ExoException(
                ErrorKind.SUSPENDED,
                "Android lets an app start this service only while the app is on the screen: start it from an activity",
                detail = refused.toString(),
                cause = refused,
            )
        }

        is SecurityException -> {
            ExoException(
                ErrorKind.NOT_PERMITTED,
                "Android does not allow this service: ${refused.message}; docs/android-permissions.md has what the manifest needs",
                detail = refused.toString(),
                cause = refused,
            )
        }

        else -> {
            throw refused
        }
    }
