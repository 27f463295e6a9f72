package dev.exo.mobile.sample.words

import dev.exo.mobile.BatteryReadings
import dev.exo.mobile.MemoryReadings
import dev.exo.mobile.Reading
import dev.exo.mobile.Readings
import dev.exo.mobile.ShelvedModel
import org.junit.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.time.Duration.Companion.seconds

class ServeWordsTest {
    private val model = ShelvedModel("maker/Small-4bit", 1L shl 29, 1L shl 29, null, isLoaded = false, isOffered = false)

    private fun card(readings: Readings) = assertIs<Card.Serve>(serveCards(listOf(model), Seen(looked = readings)).single())

    @Test
    fun `the costs are read before the switch is turned`() {
        val readings =
            Readings(
                memory = MemoryReadings(available = Reading.Measured(2L shl 30)),
                battery = BatteryReadings(level = Reading.Measured(0.5), charging = Reading.Measured(false)),
            )
        val card = card(readings)
        assertEquals("Serve Small-4bit" to false, card.title to card.isOn)
        assertContains(card.costs, "512\u00A0MB while the cluster asks it; 2\u00A0GB are free.")
        assertContains(card.costs, "50\u00A0%, not being charged, and answering drains it.")
        assertContains(card.costs, "answering warms the phone")
    }

    @Test
    fun `what nobody measured is not made up`() {
        val costs = card(Readings()).costs
        assertContains(costs, "512\u00A0MB while the cluster asks it.")
        assertContains(costs, "not known how full")
    }

    @Test
    fun `a model that cannot be loaded cannot be served`() =
        assertEquals(emptyList(), serveCards(listOf(model.copy(memory = null, refusal = "too large")), Seen()))

    @Test
    fun `the speed of an answer leaves out its first token`() {
        assertEquals("10.0", speed(21, 2.seconds))
        assertEquals(null, speed(1, 2.seconds))
    }
}
