package dev.exo.mobile.sample.words

import dev.exo.mobile.ClusterInstance
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.LinkPreview
import dev.exo.mobile.NetworkKind
import dev.exo.mobile.NodeState
import dev.exo.mobile.Provider
import dev.exo.mobile.SearchActivity
import dev.exo.mobile.SearchStatus
import org.junit.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertIs
import kotlin.test.assertNull
import kotlin.test.assertTrue
import dev.exo.mobile.android.LocalNetworkPermission.State as Permission

class ClusterWordsTest {
    private fun cards(
        state: NodeState? = null,
        seen: Seen = Seen(),
        permission: Permission = Permission.GRANTED,
    ) = clusterCards(if (state == null) seen else seen.copy(member = Member("a1", state)), permission)

    private fun standing(cards: List<Card>) = assertIs<Card.Standing>(cards.first())

    private val states =
        listOf(
            NodeState.Searching,
            NodeState.Connecting("192.168.1.7"),
            NodeState.Joining,
            NodeState.Joined(2),
            NodeState.ListeningOnly("a field that we do not know"),
            NodeState.Degraded("the link was lost"),
            NodeState.Draining,
            NodeState.Failed("a fault"),
        )

    @Test
    fun `each state has a headline of its own, but a fault is a fault`() {
        val headlines = states.map { standing(cards(it)).headline }
        assertEquals(states.size, headlines.toSet().size, "$headlines")
    }

    @Test
    fun `whoever is in can get out, except while they are leaving`() {
        val inside = states - NodeState.Draining - NodeState.Failed("a fault")
        inside.forEach { assertContains(listOf(Action.LEAVE, Action.STOP), standing(cards(it)).action, "$it") }
        assertNull(standing(cards(NodeState.Draining)).action)
    }

    @Test
    fun `whoever is out can get in`() {
        assertEquals(Action.JOIN, standing(cards()).action)
        assertEquals(Action.JOIN, standing(cards(NodeState.Left)).action)
        assertEquals(Action.JOIN, standing(cards(NodeState.Failed("a fault"))).action)
    }

    @Test
    fun `a fault is told in its own words`() {
        val fault = ExoException(ErrorKind.SUSPENDED, "start it from an activity")
        val card = standing(cards(seen = Seen(fault = fault)))
        assertEquals(Tone.BAD, card.tone)
        assertEquals("Start it from an activity.", card.sentence)
    }

    @Test
    fun `without the permission there is nothing but the way to it`() {
        val asked = cards(permission = Permission.DENIED)
        assertEquals(Action.ALLOW, standing(asked).action)
        val refused = cards(NodeState.Searching, permission = Permission.DENIED_FOR_GOOD)
        assertEquals(Action.APP_SETTINGS, standing(refused).action)
        assertEquals(listOf(1, 1), listOf(asked.size, refused.size))
    }

    @Test
    fun `each way of searching says what came of it, and what is off says nothing`() {
        val search =
            listOf(
                SearchStatus(Provider.MULTICAST, SearchActivity.BLOCKED, "no multicast permission on wlan0"),
                SearchStatus(Provider.UNICAST, SearchActivity.SEARCHING, "12 of 254 hosts asked"),
                SearchStatus(Provider.LINK, SearchActivity.OFF, ""),
            )
        val lines =
            assertIs<Card.Lines>(
                clusterCards(Seen(Member("a1", NodeState.Searching, search)), Permission.GRANTED)[1],
            ).lines
        assertEquals(listOf(Tone.WARN, Tone.CALM), lines.map { it.tone })
        assertEquals(listOf("No multicast permission on wlan0.", "12 of 254 hosts asked."), lines.map { it.detail })
    }

    @Test
    fun `a search without a network says so, and leads to the settings`() {
        val card = standing(cards(NodeState.Searching, Seen(condition = condition(readings(NetworkKind.NONE)))))
        assertEquals("No network", card.headline)
        assertEquals(Action.NETWORK_SETTINGS to Action.STOP, card.action to card.other)
    }

    @Test
    fun `the master comes first, then this phone, then the others by name`() {
        val cluster =
            cluster(
                "b2",
                node("c3", "Zoe"),
                node("d4", "Ada"),
                node("a1", "Me", isThisDevice = true),
                node(
                    "b2",
                    "Mac",
                    memory =
                        64L shl 30,
                ),
            )
        val cards = clusterCards(Seen(Member("a1", NodeState.Joined(4), cluster = cluster)), Permission.NOT_NEEDED)
        assertEquals("The cluster of Mac, with 4 devices.", standing(cards).sentence)
        val lines = assertIs<Card.Lines>(cards[1]).lines
        assertEquals(listOf("Mac", "Me", "Ada", "Zoe"), lines.map { it.name })
        assertEquals("Master · b2" to "64\u00A0GB", lines[0].detail to lines[0].figure)
        assertEquals("This phone · a1", lines[1].detail)
        assertEquals("Mac, 64\u00A0GB, Master · b2", lines[0].spoken)
    }

    @Test
    fun `a cluster of which little is known yet is a cluster all the same`() {
        assertEquals("A cluster, with 1 device.", standing(cards(NodeState.Joined(1))).sentence)
        val nameless = cluster("0123456789ab", node("0123456789ab", null))
        val card = standing(clusterCards(Seen(Member("a1", NodeState.Joined(2), cluster = nameless)), Permission.GRANTED))
        assertEquals("The cluster of node 01234567, with 2 devices.", card.sentence)
    }

    @Test
    fun `models that run are named`() {
        val cluster =
            cluster(
                "b2",
                node("b2", "Mac"),
            ).copy(instances = listOf(ClusterInstance("i1", "Qwen3-0.6B", listOf("b2"))))
        val cards = clusterCards(Seen(Member("a1", NodeState.Joined(2), cluster = cluster)), Permission.GRANTED)
        assertEquals(listOf(Line(Tone.GOOD, "Qwen3-0.6B", "On 1 device.")), assertIs<Card.Lines>(cards[2]).lines)
    }

    @Test
    fun `listening only says why, and whom it hears`() {
        val member = Member("a1", NodeState.ListeningOnly("an unknown field"), cluster = cluster("b2", node("b2", "Mac")))
        val cards = clusterCards(Seen(member), Permission.GRANTED)
        assertContains(standing(cards).sentence, "An unknown field. ")
        assertIs<Card.Lines>(cards[1])
    }

    @Test
    fun `a link says where it leads, and that nothing was sent`() {
        val link = LinkPreview("exo://192.168.1.7?ns=home", "192.168.1.7", 52414, "home", 52415)
        val cards = clusterCards(Seen(), Permission.GRANTED, link)
        val question = standing(cards)
        listOf("192.168.1.7", "52414", "home", "Nothing was sent").forEach { assertContains(question.sentence, it) }
        assertEquals(Action.JOIN_LINK to Action.DISMISS_LINK, question.action to question.other)
        assertEquals(2, cards.size, "and below it all is as it was")
        assertFalse(
            "in the cluster" in standing(clusterCards(Seen(), Permission.GRANTED, link.copy(namespace = null))).sentence,
        )
    }

    @Test
    fun `what goes on by itself is shown as such`() {
        val busy = states.filter { standing(cards(it)).isBusy }
        assertTrue(NodeState.Searching in busy && NodeState.Draining in busy && NodeState.Joined(2) !in busy)
    }
}
