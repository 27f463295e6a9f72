package dev.exo.mobile

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withContext
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.concurrent.thread
import kotlin.test.AfterTest
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.days
import kotlin.time.Duration.Companion.seconds

/** A member of a cluster that is one peer, on this computer alone. */
class NodeTest {
    @AfterTest
    fun `the peer survived what it heard`() = assertTrue(peer.isAlive)

    @Test
    fun `a phone joins, sees itself in the cluster, and leaves`() =
        runBlocking {
            ExoNode.join(peer.options("ada")).use { node ->
                node.states.first { it == NodeState.Joined(nodes = 2) }
                val cluster = node.clusters.first { it.isComplete && it.thisDevice?.name == "ada" }
                assertEquals(node.id, cluster.thisDevice?.id)
                assertEquals(peer.id, cluster.master)
                assertContains(peer.state(), node.id)
                assertEquals(SearchActivity.FOUND, node.search.single { it.provider == Provider.LOOPBACK }.activity)
                assertTrue(node.stats.heard > 0)
                node.leave(5.seconds)
                assertEquals(NodeState.Left, node.state)
            }
        }

    @Test
    fun `flows end when the node is over`() =
        runBlocking {
            val node = ExoNode.join(peer.options())
            val searching = CompletableDeferred<Unit>()
            val all = CompletableDeferred<List<NodeState>>()
            launch { all.complete(node.states.onEach { searching.complete(Unit) }.toList()) }
            searching.await()
            node.close()
            assertTrue(all.await().isNotEmpty())
        }

    @Test
    fun `a collector that is cancelled while it waits ends at once, and others go on`() =
        runBlocking {
            ExoNode.join(JoinOptions(only = emptySet())).use { node ->
                val waiting = CompletableDeferred<Unit>()
                val collector = launch { node.states.collect { waiting.complete(Unit) } }
                waiting.await()
                collector.cancelAndJoin()
                assertEquals(NodeState.Searching, node.states.first())
            }
        }

    @Test
    fun `each flow begins with what holds now`() =
        runBlocking {
            ExoNode.join(peer.options()).use { node ->
                node.conditions.first { it.readings.memory.total.valueOrNull != null }
                assertTrue(node.searches.first().isNotEmpty())
                assertTrue(
                    node.telemetries
                        .first()
                        .devices
                        .isEmpty(),
                    "nobody told anything yet",
                )
                assertEquals(node.cluster.master, node.clusters.first().master)
            }
        }

    @Test
    fun `two phones tell each other how they are`() =
        runBlocking {
            ExoNode.join(peer.options("ada")).use { ada ->
                ExoNode.join(peer.options("bea")).use { bea ->
                    val both =
                        ada.telemetries.first { all ->
                            all.devices.mapNotNull { it.name }.containsAll(listOf("ada", "bea"))
                        }
                    val told = both.devices.single { it.deviceId == bea.id }
                    assertEquals(Presence.PRESENT, told.presence)
                    assertNotNull(told.readings.memory.total.valueOrNull)
                    assertEquals(setOf(ada.id, bea.id), ada.scores().map { it.deviceId }.toSet())
                    assertTrue(ada.topology.summary.isNotEmpty())
                }
            }
        }

    @Test
    fun `what the owner does not allow is not offered, and it says why`() =
        runBlocking {
            ExoNode.join(peer.options()).use { node ->
                node.setPolicy(Policy(foregroundOnly = true, drain = 1.seconds, settle = 1.days))
                node.shown(false)
                val denied = node.conditions.first { !it.allowance.admit }
                assertContains(denied.allowance.reasons.map { it.rule }, Rule.FOREGROUND_ONLY)
                assertTrue(denied.allowance.sentence.isNotEmpty())
            }
        }

    @Test
    fun `a phone that offers a model shows it, and takes it back`() =
        openHost().use { host ->
            host.offer(setOf(TINY))
            runBlocking {
                ExoNode.join(peer.options("ada"), Platform(models = host)).use { node ->
                    node.clusters.first { it.thisDevice?.backends?.isNotEmpty() == true }
                    node.conditions.first { it.offers }
                    host.load(TINY).use { assertTrue(it.answer(question(3)).isNotEmpty(), "the app may ask it too") }
                    host.offer(emptySet())
                    node.clusters.first { it.thisDevice?.backends?.isEmpty() == true }
                    node.leave(5.seconds)
                    assertEquals(NodeState.Left, node.state)
                }
                host.load(TINY).use { assertTrue(it.answer(question(3)).isNotEmpty(), "a host outlives its node") }
            }
        }

    @Test
    fun `who asks the cluster is answered by a phone's model`(
        @TempDir shelf: File,
    ) {
        val folder = knownToExo(shelf)
        openHost(shelf).use { host ->
            host.offer(setOf(KNOWN))
            runBlocking {
                ExoNode.join(peer.options("ada"), Platform(models = host)).use { node ->
                    node.clusters.first { it.thisDevice?.backends?.isNotEmpty() == true }
                    val answer = withContext(Dispatchers.IO) { peer.asks(node.id, folder, question(8)) }
                    host.load(KNOWN).use { assertEquals(it.answer(question(8)), answer) }
                    assertTrue(answer.isNotEmpty())
                    node.leave(5.seconds)
                }
            }
        }
    }

    @Test
    fun `a node whose models are closed goes on without them`() =
        runBlocking {
            val host = openHost()
            host.offer(setOf(TINY))
            ExoNode.join(peer.options("ada"), Platform(models = host)).use { node ->
                node.states.first { it is NodeState.Joined }
                host.close()
                node.leave(5.seconds)
                assertEquals(NodeState.Left, node.state)
            }
        }

    @Test
    fun `nonsense is refused before anything starts`() {
        failsAs(ErrorKind.INVALID_ARGUMENT) { ExoNode.join(JoinOptions(discoveryPort = 70_000)) }
        failsAs(ErrorKind.INVALID_ARGUMENT) { ExoNode.join(JoinOptions(metrics = "here")) }
        failsAs(ErrorKind.INVALID_ARGUMENT) { ExoNode.join(JoinOptions(policy = Policy(drain = (-1).seconds))) }
        failsAs(ErrorKind.INVALID_ARGUMENT) { ExoNode.join(JoinOptions(policy = Policy(quietHours = QuietHours(0, 1440)))) }
    }

    @Test
    fun `a plan needs somebody to ask and a model that they know`() =
        runBlocking {
            ExoNode.join(JoinOptions(only = emptySet())).use { node ->
                assertTrue(failsAs(ErrorKind.UNREACHABLE) { node.plan("llama") }.isRetryable)
            }
            ExoNode.join(peer.options()).use { node ->
                node.states.first { it is NodeState.Joined }
                failsAs(ErrorKind.NOT_FOUND) { node.plan("no-such-model") }
            }
            Unit
        }

    @Test
    fun `what is used after closing says so`() {
        val node = ExoNode.join(JoinOptions(only = emptySet()))
        node.close()
        node.close()
        failsAs(ErrorKind.CLOSED) { node.state }
        failsAs(ErrorKind.CLOSED) { runBlocking { node.states.first() } }
        failsAs(ErrorKind.CLOSED) { runBlocking { node.leave() } }
    }

    @Test
    fun `any thread may ask`() =
        runBlocking {
            ExoNode.join(peer.options()).use { node ->
                node.states.first { it is NodeState.Joined }
                val ids =
                    java.util.concurrent.ConcurrentHashMap
                        .newKeySet<String>()
                List(16) { thread { repeat(50) { ids += node.cluster.thisDevice?.id ?: node.id } } }.forEach { it.join() }
                assertEquals(setOf(node.id), ids)
            }
        }

    private companion object {
        val peer = Peer()

        @JvmStatic
        @AfterAll
        fun end() = peer.close()
    }
}
