package dev.exo.mobile.android

import android.app.Notification
import android.app.NotificationManager
import android.content.ContextWrapper
import android.content.Intent
import android.content.pm.ServiceInfo
import android.net.wifi.WifiManager
import android.os.Build
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.NodeState
import dev.exo.mobile.Platform
import dev.exo.mobile.Provider
import dev.exo.mobile.SearchActivity
import dev.exo.mobile.SearchStatus
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.transformWhile
import org.junit.After
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ServiceController
import org.robolectric.annotation.Config
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertNull
import kotlin.test.assertTrue
import kotlin.time.Duration

/** The service that keeps a node while the app is not on the screen. The node is a fake. */
@RunWith(RobolectricTestRunner::class)
class ExoNodeServiceTest {
    private val node = FakeNode()
    private lateinit var service: ServiceController<ExoNodeService>

    @Before
    fun `nodes are fakes`() {
        ExoNodeService.joining = Joining(Dispatchers.Unconfined) { _, _, _ -> node }
    }

    @After
    fun `nodes are real again`() {
        ExoNodeService.joining = Joining.Really
    }

    @Test
    fun `it comes to the foreground at once and says in words how the node stands`() {
        started()
        assertContains(notification().text, "Searching")
        node.state.value = NodeState.Joined(3)
        mainThread()
        assertContains(notification().text, "cluster of 3 devices")
        assertEquals(ExoNodeService.CHANNEL, notification().channelId)
        assertTrue(system<NotificationManager>().notificationChannels.any { it.id == ExoNodeService.CHANNEL })
    }

    @Test
    @Config(sdk = [34, 37])
    fun `it is of the type connectedDevice`() {
        started()
        assertEquals(ServiceInfo.FOREGROUND_SERVICE_TYPE_CONNECTED_DEVICE, service.get().foregroundServiceType)
    }

    @Test
    fun `the owner stops it from the notification, and it leaves before it ends`() {
        started()
        node.leaving = CompletableDeferred()
        val stop = notification().actions.single().actionIntent
        service.get().onStartCommand(shadowOf(stop).savedIntent, 0, 2)
        mainThread()
        assertContains(notification().text, "Leaving")
        assertFalse(isOver(), "it waits until the cluster has heard it")
        node.leaving.complete(Unit)
        mainThread()
        assertLeft()
    }

    @Test
    fun `it leaves when the app is swiped away`() {
        started()
        service.get().onTaskRemoved(null)
        mainThread()
        assertLeft()
    }

    @Test
    @Config(sdk = [34, 37])
    fun `it leaves when its time is over`() {
        started()
        service.get().onTimeout(1)
        mainThread()
        assertLeft()
    }

    @Test
    @Config(sdk = [37])
    fun `it leaves when the time of its type is over`() {
        started()
        service.get().onTimeout(1, ServiceInfo.FOREGROUND_SERVICE_TYPE_CONNECTED_DEVICE)
        mainThread()
        assertLeft()
    }

    @Test
    fun `the app stops it from anywhere, once or again`() {
        ExoNodeService.stop()
        started()
        ExoNodeService.stop()
        ExoNodeService.stop()
        mainThread()
        assertLeft()
        assertEquals(1, node.left)
    }

    @Test
    fun `a cluster that does not hear the goodbye does not hold it up`() {
        started()
        node.leaving = CompletableDeferred()
        node.leaving.completeExceptionally(ExoException(ErrorKind.UNHEARD, "nobody answered"))
        ExoNodeService.stop()
        mainThread()
        assertLeft()
    }

    @Test
    fun `who starts it while it is leaving gets a new node`() {
        started()
        node.leaving = CompletableDeferred()
        ExoNodeService.stop()
        mainThread()
        service.startCommand(0, 2)
        node.leaving.complete(Unit)
        mainThread()
        assertFalse(isOver())
        assertContains(notification().text, "Searching")
    }

    @Test
    fun `started twice it goes on as it is`() {
        started()
        node.state.value = NodeState.Joined(2)
        mainThread()
        service.startCommand(0, 2)
        mainThread()
        assertContains(notification().text, "cluster of 2")
        assertEquals(0, node.closed)
    }

    @Test
    fun `a node that fails ends it, and the app hears why`() {
        started()
        node.state.value = NodeState.Failed("out of threads")
        mainThread()
        assertTrue(isOver())
        assertEquals(ErrorKind.FAULT to "out of threads", ExoNodeService.fault.value?.run { kind to message })
    }

    @Test
    fun `a join that is refused ends it, and the app hears why`() {
        ExoNodeService.joining =
            Joining(Dispatchers.Unconfined) { _, _, _ -> throw ExoException(ErrorKind.PORT, "the port is taken") }
        started()
        assertTrue(isOver())
        assertEquals(ErrorKind.PORT, ExoNodeService.fault.value?.kind)
    }

    @Test
    fun `the system may end it without a word, and the node is closed`() {
        started()
        service.destroy()
        assertEquals(1, node.closed)
        assertNull(ExoNodeService.node.value)
    }

    @Test
    fun `multicast is let through while it is searched by multicast, and only then`() {
        started()
        assertEquals(0, locks())
        searchesByMulticast(SearchActivity.SEARCHING)
        assertEquals(1, locks())
        searchesByMulticast(SearchActivity.FOUND)
        assertEquals(0, locks())
        searchesByMulticast(SearchActivity.SEARCHING)
        ExoNodeService.stop()
        mainThread()
        assertEquals(0, locks())
    }

    @Test
    fun `from the background it does not start, and says what to do`() {
        val background =
            object : ContextWrapper(app) {
                override fun startForegroundService(service: Intent) = throw notAllowed()
            }
        val refused = assertFailsWith<ExoException> { ExoNodeService.start(background, platform = Platform()) }
        assertEquals(ErrorKind.SUSPENDED, refused.kind)
        assertTrue(refused.isRetryable)
        assertContains(refused.message, "on the screen")
    }

    @Test
    fun `an app whose manifest lacks something hears that`() {
        ExoNodeService.start(app, platform = Platform())
        service = Robolectric.buildService(ExoNodeService::class.java).create()
        shadowOf(service.get()).setThrowInStartForeground(SecurityException("no FOREGROUND_SERVICE_CONNECTED_DEVICE"))
        service.startCommand(0, 1)
        mainThread()
        assertEquals(ErrorKind.NOT_PERMITTED, ExoNodeService.fault.value?.kind)
        assertTrue(isOver())
        assertEquals(0, node.closed, "nobody joined")
    }

    @Test
    fun `each state has words of its own`() {
        val states =
            listOf(
                NodeState.Searching,
                NodeState.Connecting("mac"),
                NodeState.Joining,
                NodeState.Joined(2),
                NodeState.ListeningOnly("x"),
                NodeState.Degraded("x"),
                NodeState.Draining,
                NodeState.Left,
                NodeState.Failed("x"),
            )
        assertEquals(states.size, states.map(NodeNotification::words).toSet().size)
    }

    private fun started() {
        ExoNodeService.start(app, platform = Platform())
        service = Robolectric.buildService(ExoNodeService::class.java).create().startCommand(0, 1)
        mainThread()
    }

    private fun notification(): Notification =
        shadowOf(system<NotificationManager>()).getNotification(ExoNodeService.NOTIFICATION)

    private val Notification.text get() = extras.getCharSequence(Notification.EXTRA_TEXT).toString()

    private fun isOver() = shadowOf(service.get()).run { isStoppedBySelf && isForegroundStopped }

    private fun assertLeft() {
        assertTrue(isOver())
        assertEquals(1 to 1, node.left to node.closed)
        assertNull(shadowOf(system<NotificationManager>()).getNotification(ExoNodeService.NOTIFICATION))
    }

    private fun locks() = shadowOf(system<WifiManager>()).activeLockCount

    private fun searchesByMulticast(activity: SearchActivity) {
        node.searching.value = listOf(SearchStatus(Provider.MULTICAST, activity, ""))
        mainThread()
    }

    private fun notAllowed(): IllegalStateException =
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) {
            android.app.ForegroundServiceStartNotAllowedException("in the background")
        } else {
            IllegalStateException("in the background")
        }

    private class FakeNode : Membership {
        val state = MutableStateFlow<NodeState>(NodeState.Searching)
        val searching = MutableStateFlow(emptyList<SearchStatus>())
        var leaving = CompletableDeferred(Unit)
        var left = 0
        var closed = 0

        override val node = null
        override val searches = searching
        override val states =
            state.transformWhile {
                emit(it)
                it !is NodeState.Failed
            }

        override suspend fun leave(within: Duration) {
            left += 1
            leaving.await()
        }

        override fun close() {
            closed += 1
        }
    }
}
