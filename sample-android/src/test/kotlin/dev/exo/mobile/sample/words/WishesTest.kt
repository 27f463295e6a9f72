package dev.exo.mobile.sample.words

import dev.exo.mobile.LinkPreview
import dev.exo.mobile.Policy
import dev.exo.mobile.QuietHours
import org.junit.Test
import kotlin.test.assertEquals
import kotlin.test.assertNull
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Duration.Companion.seconds

class WishesTest {
    @Test
    fun `what the owner did not choose is no rule`() = assertEquals(Policy(), Wishes(wifiOnly = false, minBattery = 0).policy)

    @Test
    fun `each choice is one rule`() {
        val all = Wishes(onlyWhileCharging = true, wifiOnly = true, foregroundOnly = true, quietNights = true, minBattery = 50)
        val rules = Policy(true, 0.5, wifiOnly = true, quietHours = QuietHours(1320, 420), foregroundOnly = true)
        assertEquals(rules, all.policy)
    }

    @Test
    fun `a blank name is the phone's own`() {
        assertNull(Wishes(name = "  ").options(null).name)
        assertEquals("Ada", Wishes(name = " Ada ").options(null).name)
    }

    @Test
    fun `a link brings its cluster's name with it`() {
        val link = LinkPreview("exo://10.0.0.1?ns=home", "10.0.0.1", 52414, "home", 52415)
        val options = Wishes().options(link)
        assertEquals(link to "home", options.confirmedLink to options.namespace)
    }

    @Test
    fun `figures are as people say them`() {
        assertEquals(listOf("512\u00A0MB", "7.5\u00A0GB", "64\u00A0GB"), listOf(1L shl 29, 15L shl 29, 64L shl 30).map(::bytes))
        assertEquals(listOf("60\u00A0s", "2\u00A0min", "5\u00A0min"), listOf(60.seconds, 110.seconds, 5.minutes).map(::minutes))
        assertEquals("Nobody answered." to "Really?", sentence("nobody answered") to sentence("really?"))
        assertEquals("1 device" to "2 devices", counted(1, "device") to counted(2, "device"))
    }
}
