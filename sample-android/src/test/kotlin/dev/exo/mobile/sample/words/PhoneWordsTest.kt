package dev.exo.mobile.sample.words

import dev.exo.mobile.BackendKind
import dev.exo.mobile.BatteryReadings
import dev.exo.mobile.GpuDevice
import dev.exo.mobile.GpuMemory
import dev.exo.mobile.Level
import dev.exo.mobile.MemoryReadings
import dev.exo.mobile.NodeState
import dev.exo.mobile.Reading
import dev.exo.mobile.Readings
import dev.exo.mobile.Reason
import dev.exo.mobile.Rule
import dev.exo.mobile.RuleVerdict
import dev.exo.mobile.WorkState
import org.junit.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertNull
import kotlin.time.Duration.Companion.minutes
import kotlin.time.Instant

class PhoneWordsTest {
    private val now = Instant.fromEpochSeconds(1_000_000)

    private fun standing(seen: Seen) = assertIs<Card.Standing>(phoneCards(seen).first())

    private fun gauge(
        title: String,
        seen: Seen,
    ) = phoneCards(seen).filterIsInstance<Card.Gauge>().single { it.title == title }

    private val device =
        GpuDevice(
            "Adreno 750",
            BackendKind.VULKAN,
            "Qualcomm",
            "integrated",
            "512",
            "1.3",
            4L shl 30,
            null,
            null,
            "",
            true,
            0,
            setOf(),
        )

    @Test
    fun `what the rules leave is a share of the phone`() {
        assertEquals("Work may use 80\u00A0% of this phone.", standing(Seen(condition = condition(share = 0.8))).sentence)
    }

    @Test
    fun `each rule that is in the way is named, and what is not known is a no`() {
        val reasons =
            listOf(
                Reason(Rule.MIN_BATTERY, RuleVerdict.DENIED, "the battery is at 15%"),
                Reason(Rule.ONLY_WHILE_CHARGING, RuleVerdict.UNKNOWN, "it is not known whether it is charged"),
            )
        val seen = Seen(condition = condition(reasons = reasons, work = WorkState.STOPPED, share = 0.0))
        assertEquals("At rest", standing(seen).headline)
        val lines = assertIs<Card.Lines>(phoneCards(seen)[1]).lines
        assertEquals(listOf("Battery" to "No", "Charging" to "Not known"), lines.map { it.name to it.figure })
        assertEquals("The battery is at 15%.", lines[0].detail)
    }

    @Test
    fun `work that ends is neither work nor rest`() {
        val reasons = listOf(Reason(Rule.WIFI_ONLY, RuleVerdict.DENIED, "the network is mobile"))
        assertEquals(
            "Coming to rest",
            standing(Seen(condition = condition(reasons = reasons, work = WorkState.DRAINING))).headline,
        )
    }

    @Test
    fun `while nobody looks, the phone's own figures are shown all the same`() {
        val looked = Readings(memory = MemoryReadings(Reading.Measured(8L shl 30), Reading.Measured(6L shl 30)))
        val seen = Seen(looked = looked)
        assertEquals("Nobody looks", standing(seen).headline)
        assertEquals(Card.Gauge("Memory", "6\u00A0GB free", "Of 8\u00A0GB in all.", 0.25), gauge("Memory", seen))
    }

    @Test
    fun `what cannot be had says why, and shows no bar`() {
        val silent = Readings(battery = BatteryReadings(level = Reading.Unavailable("this device has no battery")))
        val battery = gauge("Battery", Seen(looked = silent))
        assertEquals("Not known" to "This device has no battery.", battery.figure to battery.note)
        assertNull(battery.part)
    }

    @Test
    fun `a battery says whether it is charged, as far as that is known`() {
        fun note(
            charging: Reading<Boolean>,
            saving: Boolean = false,
        ) = gauge(
            "Battery",
            Seen(looked = Readings(battery = BatteryReadings(Reading.Measured(0.5), charging, Reading.Measured(saving)))),
        ).note
        assertEquals("Being charged.", note(Reading.Measured(true)))
        assertEquals("Not being charged, and the phone saves power.", note(Reading.Measured(false), saving = true))
        assertContains(note(Reading.Unavailable("?")), "not known")
    }

    @Test
    fun `a GPU is opened, is there, or is not`() {
        assertEquals("Being opened", gauge("GPU", Seen()).figure)
        val there = gauge("GPU", Seen(gpu = GpuSeen.Device(device, GpuMemory(0, 0, 0, 3L shl 30))))
        assertEquals("Adreno 750" to "3\u00A0GB for this app, driven by Vulkan 1.3.", there.figure to there.note)
        assertEquals("No driver.", gauge("GPU", Seen(gpu = GpuSeen.Refused("no driver"))).note)
    }

    @Test
    fun `the id is whole, for who wants to find it in exo's dashboard`() {
        val id = "a11ce0de5b4c4d3e9f8a7b6c5d4e3f20"
        assertEquals(Card.Gauge("Node id", "a11ce0de", id), gauge("Node id", Seen(Member(id, NodeState.Searching))))
    }

    @Test
    fun `heat says where it is, where it is going and what is done about it`() {
        val warm =
            condition(readings(celsius = 38.04), outlook = outlook(39.0), timeToLimit = 4.minutes, level = Level.HALF)
        val card =
            phoneCards(
                Seen(condition = warm, heat = HeatHistory().with(now, warm)),
            ).filterIsInstance<Card.Heat>().single()
        assertEquals("38.0\u00A0°C", card.figure)
        assertEquals(
            "In 60\u00A0s: 39.0\u00A0°C, most likely between 38.5\u00A0°C and 39.5\u00A0°C. Too warm in 4\u00A0min. It works at about half its pace.",
            card.note,
        )
    }

    @Test
    fun `without a sensor there is no curve, and no figure is made up`() {
        val blind = condition()
        val card =
            phoneCards(
                Seen(condition = blind, heat = HeatHistory().with(now, blind)),
            ).filterIsInstance<Card.Heat>().single()
        assertEquals("No sensor told yet", card.figure)
        assertNull(card.curve)
    }
}
