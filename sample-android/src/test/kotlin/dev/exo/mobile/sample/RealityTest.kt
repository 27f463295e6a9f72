package dev.exo.mobile.sample

import android.content.Context
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.android.PreferencesKeyStore
import org.junit.After
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

/**
 * What the screens show is what happened. Nothing here is known beforehand: an app that only played a member could not know
 * what the peer tells, nor the peer what the app shows.
 */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [37], application = LoopbackApp::class)
class RealityTest {
    private val phone = Phone()

    @After
    fun end() = phone.close()

    private fun idsIn(state: String) = Regex("[0-9a-f]{32}").findAll(state).map { it.value }.toSet()

    @Test
    fun `the id on the screen is the one that the cluster tells`(): Unit =
        Peer().use { peer ->
            // The library makes a new identity, which nobody knows yet.
            phone.app
                .getSharedPreferences(PreferencesKeyStore.FILE, Context.MODE_PRIVATE)
                .edit()
                .clear()
                .commit()
            shadowOf(phone.app).grantPermissions(LocalNetworkPermission.NAME)
            phone.app.stay = peer::only
            val before = idsIn(peer.state())
            phone.open().tap("Join a cluster")
            phone.untilItSays("Joined").tap("This phone")
            phone.untilItSays("Node id")
            val shown = phone.texts().single { it.matches(Regex("[0-9a-f]{32}")) }
            assertFalse(shown in before)
            phone.until("the cluster tells it too") { shown in idsIn(peer.state()) }
            phone.tap("Cluster")
            phone.untilItSays(shown.take(8))
            assertTrue(peer.isAlive, "nothing that the phone said ended it")
        }

    @Test
    fun `the name on the screen is the one that the owner typed and the cluster tells`(): Unit =
        Peer().use { peer ->
            val name = "phone ${System.nanoTime()}"
            shadowOf(phone.app).grantPermissions(LocalNetworkPermission.NAME)
            phone.app.settings.wishes =
                phone.app.settings.wishes
                    .copy(name = name)
            phone.app.stay = peer::only
            phone.open().tap("Join a cluster")
            phone.untilItSays("Joined").untilItSays(name)
            phone.until("the cluster tells it too") { name in peer.state() }
            phone.tap("Leave the cluster")
            phone.untilItSays("Not in a cluster")
            assertEquals(1, phone.texts().count { it == "Not in a cluster" })
        }
}
