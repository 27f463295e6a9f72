package dev.exo.mobile.sample

import android.content.ComponentCallbacks2
import dev.exo.mobile.ModelHost
import org.junit.After
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import kotlin.test.assertEquals
import kotlin.test.assertNotNull

/** What the model's memory does when Android wants some. There is no node that would see to it. */
@RunWith(RobolectricTestRunner::class)
@Config(sdk = [37], application = LoopbackApp::class)
class MemoryTest {
    private val phone = Phone()

    @After
    fun end() = phone.close()

    /** A model is loaded, and has answered. */
    private fun answered(): ModelHost {
        phone.hasModel()
        phone.open().tap("Chat")
        phone.untilItSays("Ask away")
        phone.writes("What becomes of a quiet river and an old stone road in the rain? ".repeat(4))
        phone.tap("Send")
        phone.untilItSays("tokens a second")
        return assertNotNull(phone.app.shelf.host)
    }

    @Test
    fun `where memory is short the model gives some back, and is still there`() {
        val host = answered()
        val before = host.used
        @Suppress("DEPRECATION")
        phone.app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_RUNNING_CRITICAL)
        phone.until("some was given back") { host.used in 1..<before }
    }

    @Test
    fun `a model that nobody sees is let go of`() {
        val host = answered()
        phone.app.onTrimMemory(ComponentCallbacks2.TRIM_MEMORY_UI_HIDDEN)
        phone.until("it is let go of") { host.used == 0L }
        assertEquals(Models.TINY, phone.app.chat.chosen, "the next question loads it again")
    }
}
