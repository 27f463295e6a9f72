package dev.exo.mobile.sample

import android.os.Build
import android.provider.Settings
import android.view.View
import android.widget.EditText
import android.widget.Switch
import android.widget.TextView
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.sample.view.Tab
import org.junit.After
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** What the owner does with the app, and what it does then. Nothing is searched for: see [LoopbackApp]. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [37], application = LoopbackApp::class)
class MainActivityTest {
    private val phone = Phone()

    @After
    fun end() = phone.close()

    private fun allow() = shadowOf(phone.app).grantPermissions(LocalNetworkPermission.NAME)

    private fun asked() =
        shadowOf(phone.activity)
            .lastRequestedPermission
            ?.requestedPermissions
            ?.toList()
            .orEmpty()

    /** The owner has answered, and Android tells the app. */
    private fun answered(yes: Boolean) {
        if (yes) allow()
        phone.activity.onRequestPermissionsResult(1, arrayOf(LocalNetworkPermission.NAME), intArrayOf(if (yes) 0 else -1))
        phone.serviceStarts()
    }

    @Test
    fun `the first tap asks for the local network, and a yes joins`() {
        phone.open().tap("Allow the local network")
        assertEquals(listOf(LocalNetworkPermission.NAME), asked())
        assertNull(ExoNodeService.node.value, "nothing begins before the answer")
        answered(yes = true)
        phone.untilItSays("Searching")
    }

    @Test
    fun `a no can be asked again, and after the last one the way leads to the settings`() {
        phone.open().tap("Allow the local network")
        phone.explanationIsDue(true)
        answered(yes = false)
        assertTrue(phone.says("Android blocks the local network"))
        phone.explanationIsDue(false)
        answered(yes = false)
        phone.tap("Open the settings")
        assertEquals(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, shadowOf(phone.activity).nextStartedActivity.action)
        assertNull(ExoNodeService.node.value)
    }

    @Test
    fun `a yes in the settings is seen when the owner comes back`() {
        phone.open()
        assertTrue(phone.says("Android blocks the local network"))
        allow()
        phone.comesBack()
        assertTrue(phone.says("Not in a cluster"))
    }

    @Test
    fun `without a network the search says so, and goes on once there is one`() {
        allow()
        phone.hasNoNetwork()
        phone.open().tap("Join a cluster")
        phone.untilItSays("No network")
        phone.tap("Network settings")
        assertEquals(Settings.ACTION_WIRELESS_SETTINGS, shadowOf(phone.activity).nextStartedActivity.action)
        phone.isOnWifi()
        checkNotNull(ExoNodeService.node.value).noticed(setOf(dev.exo.mobile.Group.NETWORK))
        phone.untilItSays("Searching")
    }

    @Test
    fun `who joins and leaves is where they began`() {
        allow()
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching").tap("Stop searching")
        phone.untilItSays("Not in a cluster")
    }

    @Test
    fun `a turned phone shows what it showed, and its node goes on`() {
        allow()
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching")
        val node = assertNotNull(ExoNodeService.node.value)
        phone.tap("This phone")
        phone.changed("land")
        assertTrue(phone.says("Node id"), "it is still on that screen: ${phone.texts()}")
        assertEquals(node, ExoNodeService.node.value)
    }

    @Test
    fun `a link from outside is shown and not used, also by a phone that is turned`() {
        allow()
        phone.open("exo://192.168.1.7?ns=home")
        phone.changed("land")
        assertTrue(phone.says("192.168.1.7"))
        assertNull(phone.app.wanted, "nobody was told to join")
        assertNull(phone.app.settings.wishes.link)
        phone.tap("Not now")
        assertFalse(phone.says("192.168.1.7"))
        assertNull(phone.app.wanted)
    }

    @Test
    fun `a link that the owner agrees to is joined and kept`() {
        allow()
        phone.open("exo://192.168.1.7?ns=home").tap("Join this cluster")
        phone.untilItSays("Searching")
        assertEquals(
            "192.168.1.7" to "home",
            phone.app.wanted
                ?.confirmedLink
                ?.host to phone.app.wanted?.namespace,
        )
        phone.tap("Settings")
        assertTrue(phone.says("Another phone joins by reading this code."))
    }

    @Test
    fun `a link that comes while the app runs is asked about too, and a member leaves before it follows`() {
        allow()
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching")
        val before = assertNotNull(ExoNodeService.node.value)
        phone.isSent("exo://10.0.0.9")
        phone.tap("Join this cluster")
        phone.until("another node took its place") { ExoNodeService.node.value.let { it != null && it !== before } }
        assertEquals(
            "10.0.0.9",
            phone.app.wanted
                ?.confirmedLink
                ?.host,
        )
    }

    @Test
    fun `a link that is none says what to write instead`() {
        allow()
        phone.open("exo://:::")
        val complaint = phone.views().filterIsInstance<TextView>().filter { it.isShown && it.accessibilityLiveRegion != 0 }
        assertTrue(complaint.any { it.text.isNotEmpty() }, "${phone.texts()}")
        assertFalse(phone.says("Join this cluster?"))
    }

    @Test
    fun `a typed link takes the same way`() {
        allow()
        phone.open().tap("Settings")
        phone
            .views()
            .filterIsInstance<EditText>()
            .single { it.id == R.id.link }
            .setText("exo://192.168.1.8")
        phone.tap("Look at this link")
        assertTrue(phone.says("Join this cluster?"))
        assertNull(phone.app.wanted)
    }

    @Test
    fun `a rule is kept, and holds for the node that runs`() {
        allow()
        phone.hasBattery(level = 80, tenthsOfDegree = 300, isCharging = false)
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching").tap("Settings")
        phone
            .views()
            .filterIsInstance<Switch>()
            .single { it.id == R.id.charging }
            .isChecked = true
        assertTrue(phone.app.settings.wishes.onlyWhileCharging)
        phone.tap("This phone")
        phone.until("the rule is weighed") {
            phone.app.watch.seen.value.condition
                ?.allowance
                ?.admit == false
        }
        phone.untilItSays("What your rules say")
    }

    @Test
    fun `a question is answered`() {
        phone.hasModel()
        phone.open().tap("Chat")
        phone.untilItSays("Ask away")
        phone.writes("What is rain?")
        phone.tap("Send")
        assertTrue(phone.says("What is rain?"))
        phone.untilItSays("tokens a second")
    }

    @Test
    fun `an answer that is long enough is stopped, and the next question may be asked`() {
        phone.app.mostTokens = 1500
        phone.hasModel()
        phone.open().tap("Chat")
        phone.untilItSays("Ask away")
        phone.writes("What is rain?")
        phone.touch("Send")
        phone.touchSoon("Stop")
        phone.untilItSays("Send")
        assertFalse(phone.says("tokens a second"), "it was cut short: ${phone.texts()}")
        phone.writes("And snow?")
        phone.touch("Send")
        phone.touchSoon("Stop")
    }

    @Test
    fun `without a model the chat says where to put one`() {
        phone.open().tap("Chat")
        phone.untilItSays("No model yet")
        assertFalse(phone.says("Send"))
    }

    @Test
    fun `a model is served once its owner says so, and not any more once they say no`() {
        allow()
        phone.hasModel()
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching").tap("This phone")
        phone.untilItSays("while the cluster asks it")
        assertEquals(
            emptySet(),
            phone.app.shelf.host
                ?.offered,
        )
        phone.tap("The cluster may ask this model")
        phone.until("it is offered") {
            phone.app.shelf.host
                ?.offered == setOf(Models.TINY)
        }
        phone.tap("Settings")
        switch(R.id.charging).isChecked = true
        assertEquals(setOf(Models.TINY), phone.app.settings.wishes.served, "another wish does not undo it")
        phone.tap("This phone")
        phone.tap("The cluster may ask this model")
        phone.until("it is not offered") {
            phone.app.shelf.host
                ?.offered == emptySet<String>()
        }
    }

    private fun switch(id: Int) = phone.views().filterIsInstance<Switch>().single { it.id == id }

    @Test
    fun `who hears the screen hears what others see`() {
        allow()
        phone.open()
        val mute = phone.views().filter { it.isClickable && it.isShown && it.spoken().isNullOrEmpty() }.toList()
        assertEquals(emptyList(), mute)
        val headline = phone.views().filterIsInstance<TextView>().single { it.text.toString() == "Not in a cluster" }
        assertEquals(View.ACCESSIBILITY_LIVE_REGION_POLITE, headline.accessibilityLiveRegion)
        assertTrue(Build.VERSION.SDK_INT < 28 || headline.isAccessibilityHeading)
    }

    @Test
    fun `what is tapped is large enough for a finger`() {
        allow()
        phone.open()
        Tab.entries.forEach { tab ->
            phone.tap(tab.title)
            val least = phone.activity.resources.getDimensionPixelSize(R.dimen.touch)
            val small =
                phone
                    .views()
                    .filter {
                        it.isClickable && it.isShown && it.height < least
                    }.map { "${it.spoken()}: ${it.height}" }
            assertEquals(emptyList(), small.toList())
        }
    }

    private fun View.spoken() = contentDescription ?: (this as? TextView)?.let { it.text.ifEmpty { it.hint } }
}
