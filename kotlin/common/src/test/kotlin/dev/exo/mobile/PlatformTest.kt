package dev.exo.mobile

import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.flow.consumeAsFlow
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.runBlocking
import java.util.concurrent.CountDownLatch
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** Code of the app that the library calls: it may throw, hang and lie. */
class PlatformTest {
    private val alone = JoinOptions(only = emptySet())

    private fun <T> joined(
        platform: Platform,
        options: JoinOptions = alone,
        story: suspend (ExoNode) -> T,
    ): T = runBlocking { ExoNode.join(options, platform).use { story(it) } }

    private suspend fun ExoNode.readings() = conditions.map { it.readings }

    /** A probe whose looks are this. */
    private fun probe(read: (Set<Group>) -> Readings) =
        object : Probe {
            override fun identity() =
                Identity("Ada's Pixel", "Pixel 9", "Tensor G4", "Android 16", "BP2A", "Google", DeviceType.MOBILE_ANDROID)

            override fun read(wanted: Set<Group>) = read(wanted)
        }

    @Test
    fun `what a probe tells is what the condition shows`() {
        val told =
            Readings(
                memory = MemoryReadings(total = Reading.Measured(8L shl 30), pressure = Reading.Measured(Pressure.NONE)),
                power = Reading.Estimated(4.5, "from the battery's current"),
                thermal = ThermalReadings(status = Reading.Measured(ThermalStatus.LIGHT)),
                battery = BatteryReadings(Reading.Measured(0.5), Reading.Measured(true), Reading.Unavailable("too old")),
                network = NetworkReadings(Reading.Measured(NetworkKind.WIFI), Reading.Measured(false)),
            )
        val seen = joined(Platform(probe { told })) { node -> node.readings().first { it.battery.level.valueOrNull == 0.5 } }
        assertEquals(8L shl 30, seen.memory.total.valueOrNull)
        assertEquals(Pressure.NONE, seen.memory.pressure.valueOrNull)
        assertEquals("from the battery's current", assertIs<Reading.Estimated<Double>>(seen.power).how)
        assertEquals(ThermalStatus.LIGHT, seen.thermal.status.valueOrNull)
        assertEquals(true, seen.battery.charging.valueOrNull)
        assertEquals("too old", assertIs<Reading.Unavailable>(seen.battery.powerSave).why)
        assertEquals(NetworkKind.WIFI, seen.network.kind.valueOrNull)
        assertContains(assertIs<Reading.Unavailable>(seen.disk.total).why, "does not tell")
    }

    @Test
    fun `a probe that throws leaves its readings unavailable, with its own words`() {
        val broken = Platform(probe { throw OutOfMemoryError("provoked") })
        val seen = joined(broken) { node -> node.readings().first { it.battery.level.says("provoked") } }
        assertContains(assertIs<Reading.Unavailable>(seen.memory.total).why, "provoked")
    }

    @Test
    fun `what no device can have is refused`() {
        val absurd =
            Readings(
                thermal = ThermalReadings(temperature = Reading.Measured(65_535.0)),
                battery = BatteryReadings(level = Reading.Measured(Double.NaN)),
                cpu = CpuReadings(load = Reading.Measured(1.0)),
            )
        val seen = joined(Platform(probe { absurd })) { node -> node.readings().first { it.cpu.load.valueOrNull == 1.0 } }
        assertIs<Reading.Unavailable>(seen.thermal.temperature)
        assertIs<Reading.Unavailable>(seen.battery.level)
    }

    @Test
    fun `bytes below zero are the probe's own mistake`() {
        val negative = Readings(memory = MemoryReadings(total = Reading.Measured(-1)))
        val seen = joined(Platform(probe { negative })) { node -> node.readings().first { it.memory.total.says("-1") } }
        assertIs<Reading.Unavailable>(seen.memory.total)
    }

    @Test
    fun `nobody waits for a probe that hangs`() {
        val hangs = CountDownLatch(1)
        val platform =
            Platform(
                probe {
                    hangs.await()
                    Readings()
                },
            )
        Peer().use { peer ->
            joined(platform, peer.options()) { node ->
                node.states.first { it is NodeState.Joined }
                node.leave()
            }
        }
        hangs.countDown()
    }

    @Test
    fun `a device is the same after each start, by the app's own keeping`() {
        val keys =
            object : KeyStore {
                var kept: String? = null

                override fun load() = kept

                override fun save(identity: String) {
                    kept = identity
                }
            }
        val ids = List(2) { joined(Platform(keys = keys)) { it.id } }
        assertEquals(listOf(keys.kept, keys.kept), ids)
    }

    @Test
    fun `an identity that cannot be kept is noted, and one that cannot be asked for is an error`() {
        val full =
            object : KeyStore {
                override fun load() = null

                override fun save(identity: String) = throw ExoException(ErrorKind.STORAGE, "no room")
            }
        assertContains(joined(Platform(keys = full)) { it.notes.single() }, "no room")
        val locked =
            object : KeyStore {
                override fun load() = throw ExoException(ErrorKind.NOT_PERMITTED, "unlock the phone first", detail = "locked")

                override fun save(identity: String) = Unit
            }
        val refused = failsAs(ErrorKind.NOT_PERMITTED) { joined(Platform(keys = locked)) {} }
        assertEquals("unlock the phone first" to "locked", refused.message to refused.detail)
        assertTrue(refused.isPermission)
    }

    @Test
    fun `the library's log reaches the app from its first line on, also one that throws`() {
        val lines = Channel<String>(Channel.UNLIMITED)
        val sink =
            LogSink { level, about, line ->
                lines.trySend("$level $about: $line")
                error("provoked")
            }
        Peer().use { peer ->
            joined(Platform(log = sink), peer.options()) { node ->
                assertEquals("INFO node: searching for a cluster", lines.receive())
                node.states.first { it is NodeState.Joined }
                assertContains(lines.consumeAsFlow().first { "joined" in it }, "INFO node: joined a cluster of 2")
            }
        }
    }

    @Test
    fun `the app's life is watched from the start to the end of a node`() {
        val told = Channel<String>(Channel.UNLIMITED)
        val lifecycle =
            object : Lifecycle {
                override fun watch(life: AppLife) {
                    life.shown(false)
                    life.noticed(setOf(Group.BATTERY))
                    told.trySend("watch")
                }

                override fun unwatch() {
                    told.trySend("unwatch")
                }
            }
        val options = alone.copy(policy = Policy(foregroundOnly = true))
        joined(Platform(lifecycle = lifecycle), options) { node ->
            assertEquals("watch", told.receive())
            node.conditions.first { condition -> condition.allowance.reasons.any { it.rule == Rule.FOREGROUND_ONLY } }
        }
        assertEquals("unwatch", runBlocking { told.receive() })
    }

    @Test
    fun `what browsing cannot do is shown, and a service that cannot be is refused`() {
        val forbidden =
            object : FakeDiscovery() {
                override fun browse(
                    serviceType: String,
                    listener: ServiceListener,
                ) = throw ExoException(ErrorKind.NOT_PERMITTED, "the local network is not allowed")
            }
        val search = JoinOptions(only = setOf(Provider.DNS_SD))
        joined(Platform(discovery = forbidden), search) { node ->
            val status = node.searches.map { all -> all.single { it.provider == Provider.DNS_SD } }
            assertContains(status.first { it.activity == SearchActivity.BLOCKED }.note, "the local network is not allowed")
        }
        val seen = Channel<String>(Channel.UNLIMITED)
        val system =
            object : FakeDiscovery() {
                override fun browse(
                    serviceType: String,
                    listener: ServiceListener,
                ) {
                    failsAs(ErrorKind.INVALID_ARGUMENT) { listener.resolved(Service("x", listOf("nowhere"), 1)) }
                    listener.failed("the daemon is gone")
                    seen.trySend(serviceType)
                }
            }
        joined(Platform(discovery = system), search) { node ->
            assertContains(seen.receive(), "_exo._tcp")
            node.searches.first { all -> all.any { "the daemon is gone" in it.note } }
        }
    }

    private open class FakeDiscovery : DiscoveryProvider {
        override fun browse(
            serviceType: String,
            listener: ServiceListener,
        ) = Unit

        override fun stopBrowsing() = Unit

        override fun advertise(advertisement: Advertisement) = Unit

        override fun withdraw() = Unit
    }

    private fun Reading<*>.says(words: String) = this is Reading.Unavailable && words in why
}
