package dev.exo.mobile.sample

import dev.exo.mobile.sample.view.Tab
import org.junit.After
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import kotlin.test.assertTrue

/**
 * The app on Android 8. Apart from the tests on the newest: Robolectric gives each Android classes of its own, and the native
 * library, of which a process has one, calls back only those that came last.
 */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [26], application = LoopbackApp::class)
class OldestAndroidTest {
    private val phone = Phone()

    @After
    fun end() = phone.close()

    @Test
    fun `each screen opens`() {
        phone.open()
        Tab.entries.forEach { tab ->
            phone.tap(tab.title)
            assertTrue(phone.says(tab.title))
        }
    }

    @Test
    fun `nobody is asked for the local network, and the first tap searches`() {
        phone.open().tap("Join a cluster")
        phone.untilItSays("Searching")
    }
}
