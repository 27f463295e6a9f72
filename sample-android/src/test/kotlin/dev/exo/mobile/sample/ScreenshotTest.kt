package dev.exo.mobile.sample

import dev.exo.mobile.JoinOptions
import dev.exo.mobile.Provider
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.sample.words.GpuSeen
import dev.exo.mobile.sample.words.Wishes
import dev.exo.mobile.sample.words.bytes
import dev.exo.mobile.sample.words.celsius
import org.junit.After
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.annotation.GraphicsMode
import java.util.concurrent.CountDownLatch
import kotlin.test.assertContains
import kotlin.test.assertIs
import kotlin.test.assertTrue

/**
 * Each state as people see it. The native library is the real one, and where there is a cluster it has really joined it: what
 * the screen says is compared with what the peer tells of itself.
 */
@RunWith(RobolectricTestRunner::class)
@GraphicsMode(GraphicsMode.Mode.NATIVE)
@Config(sdk = [37], application = LoopbackApp::class, qualifiers = "w360dp-h780dp-notnight-xhdpi")
class ScreenshotTest {
    private val phone = Phone()

    @After
    fun end() = phone.close()

    private fun allowed() = shadowOf(phone.app).grantPermissions(LocalNetworkPermission.NAME)

    /** By day and by night. */
    private fun both(
        name: String,
        tolerance: Double = SAME,
    ) {
        Screenshots.check(name, phone.picture(), tolerance)
        phone.changed("night")
        Screenshots.check("$name-dark", phone.picture(), tolerance)
        phone.changed("notnight")
    }

    @Test
    fun `not in a cluster`() {
        allowed()
        phone.open()
        both("alone")
    }

    @Test
    fun `searching, with the reason of each way`() {
        allowed()
        // Every way but one: the library's own DNS-SD is Android's here, and the others see the loopback interface alone.
        phone.app.stay = { it.copy(interfaceName = "lo", discoveryPort = 9, only = SEARCHES) }
        phone.open().tap("Join a cluster")
        phone.untilItSays("Hellos to this device, nobody answered").untilItSays("_exo._tcp")
        both("searching", COUNTERS)
    }

    @Test
    fun `joined, and the cluster agrees`(): Unit =
        Peer().use { peer ->
            allowed()
            join(peer)
                .untilItSays("Joined")
                .untilItSays("Ada's Mac")
                .untilItSays(bytes(64L shl 30))
                .untilItSays("Master · Linux")
                .untilItSays("Pixel 9, Android 17")
            val state = peer.state()
            assertContains(state, Phone.ID)
            assertTrue(phone.says(Phone.ID.take(8)), "the screen shows the id that the cluster knows")
            assertTrue(phone.says(Peer.ID.take(8)), "and the master's")
            both("joined")
            phone.changed(fontScale = LARGE)
            Screenshots.check("joined-large-text", phone.picture(), SAME)
            phone.changed("land", fontScale = 1f)
            Screenshots.check("joined-landscape", phone.picture(), SAME)
            assertTrue(peer.isAlive, "nothing that the phone said ended it")
        }

    @Test
    fun `this phone, with its forecast`(): Unit =
        Peer().use { peer ->
            allowed()
            join(peer).untilItSays("Joined")
            phone.tap("This phone")
            warmsUp()
            phone.until("the GPU was opened") { phone.app.watch.seen.value.gpu != GpuSeen.Unopened }
            val gpu = assertIs<GpuSeen.Device>(phone.app.watch.seen.value.gpu).device
            phone.untilItSays(gpu.name).untilItSays("Ready to work")
            both("phone", MEASURED)
            phone.changed("h1300dp")
            Screenshots.check("phone-whole", phone.picture(), MEASURED)
        }

    @Test
    fun `this phone at rest, by its owner's rules`(): Unit =
        Peer().use { peer ->
            allowed()
            phone.app.settings.wishes =
                phone.app.settings.wishes
                    .copy(onlyWhileCharging = true, minBattery = 50)
            phone.hasBattery(level = 41, tenthsOfDegree = 312, isCharging = false)
            join(peer).untilItSays("Joined")
            phone.tap("This phone")
            phone.untilItSays("At rest").untilItSays("41%")
            both("phone-at-rest", MEASURED)
        }

    @Test
    fun `listening only, to a build that nobody knows`(): Unit =
        Peer("--unknown-build", "field").use { peer ->
            allowed()
            join(peer).untilItSays("Listening only")
            both("listening-only")
            assertTrue(Phone.ID !in peer.state(), "the cluster has not heard of this phone")
        }

    @Test
    fun leaving(): Unit =
        Peer().use { peer ->
            allowed()
            join(peer).untilItSays("Joined")
            peer.freeze()
            phone.tap("Leave the cluster")
            phone.untilItSays("Leaving")
            Screenshots.check("leaving", phone.picture(), SAME)
            peer.thaw()
            phone.untilItSays("Not in a cluster")
        }

    @Test
    fun `no network`() {
        allowed()
        phone.hasNoNetwork()
        phone.app.stay = { it.copy(interfaceName = "lo", discoveryPort = 9, only = setOf(Provider.DNS_SD)) }
        phone.open().tap("Join a cluster")
        phone.untilItSays("No network").untilItSays("_exo._tcp")
        both("no-network")
    }

    @Test
    fun `the local network is not allowed yet`() {
        phone.open()
        assertTrue(phone.says("Android blocks the local network"))
        both("permission")
    }

    @Test
    fun `the local network was refused for good`() {
        refusedForGood()
        phone.open()
        assertTrue(phone.says("Open the settings"))
        both("permission-refused")
    }

    @Test
    fun `settings, with a link and its code`() {
        allowed()
        phone.app.settings.wishes = Wishes(name = "Ada's Pixel", link = LINK, onlyWhileCharging = true)
        phone.open().tap("Settings")
        both("settings")
        phone.changed("h1380dp")
        Screenshots.check("settings-whole", phone.picture(), SAME)
    }

    @Test
    fun `the chat without a model`() {
        allowed()
        phone.open().tap("Chat")
        phone.untilItSays("No model yet")
        both("chat-empty")
    }

    @Test
    fun `a model on its way`() {
        allowed()
        val rest = CountDownLatch(1)
        phone.app.hub.holdsBack = rest
        phone.open().tap("Chat")
        phone.untilItSays("No model yet")
        phone.tap("Get a small model")
        phone.untilItSays(" a second")
        both("chat-getting", COUNTERS)
        rest.countDown()
        phone.untilItSays("Ask away")
    }

    @Test
    fun `the chat with an answer`() {
        allowed()
        phone.hasModel()
        phone.open().tap("Chat")
        phone.untilItSays("Ask away")
        phone.writes("What is rain?")
        phone.tap("Send")
        phone.untilItSays("tokens a second")
        both("chat", COUNTERS)
        phone.changed(fontScale = LARGE)
        // Its figures are larger by as much in both directions.
        Screenshots.check("chat-large-text", phone.picture(), COUNTERS * LARGE * LARGE)
    }

    @Test
    fun `a model that may be served, and what that costs`() {
        allowed()
        phone.hasModel()
        phone.open().tap("This phone")
        phone.untilItSays("while the cluster asks it")
        phone.until("the GPU was opened") { phone.app.watch.seen.value.gpu != GpuSeen.Unopened }
        both("serve", COUNTERS)
    }

    @Test
    fun `a link asks before anything is sent`() {
        allowed()
        phone.open(LINK)
        assertTrue(phone.says("Join this cluster?"))
        both("link")
        assertTrue(ExoNodeService.node.value == null)
    }

    private fun join(peer: Peer): Phone {
        phone.app.stay = { options: JoinOptions -> peer.only(options) }
        phone.open().tap("Join a cluster")
        return phone
    }

    /** A little over ten seconds of a phone that begins to work. */
    private fun warmsUp() {
        for (step in 0..WARMING) {
            phone.hasBattery(level = 82, tenthsOfDegree = 312 + step, isCharging = true)
            phone.untilItSays(celsius(31.2 + step / 10.0))
            phone.aSecond()
        }
    }

    private fun refusedForGood() {
        phone.explanationIsDue(true)
        phone.open()
        phone.explanationIsDue(false)
    }

    private companion object {
        const val LINK = "exo://192.168.1.7?ns=home"
        val SEARCHES = setOf(Provider.LOOPBACK, Provider.MULTICAST, Provider.UNICAST, Provider.DNS_SD)
        const val WARMING = 12
        const val LARGE = 1.8f
        const val SAME = 0.0005
        const val COUNTERS = 0.003
        const val MEASURED = 0.04
    }
}
