package dev.exo.mobile

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.concurrent.thread
import kotlin.test.AfterTest
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** Models on this device: which there are, what they cost, loading them, offering them, letting go of them. */
class ModelHostTest {
    private val host = openHost()

    @AfterTest
    fun close() = host.close()

    private fun <T> story(tell: suspend () -> T): T = runBlocking { tell() }

    @Test
    fun `a model is listed with what it costs, before and while it is loaded`() =
        story {
            assertEquals(BackendKind.CPU, host.device.backend)
            val before = host.models().single()
            assertEquals(TINY, before.id)
            assertTrue(before.bytes > 100_000)
            assertNull(before.refusal)
            assertEquals(false to false, before.isLoaded to before.isOffered)
            assertEquals(0, host.used)
            host.load(TINY).use { model ->
                assertEquals(before.memory, model.memory, "what was told is what it costs")
                assertEquals(model.memory, host.used)
                assertEquals(TINY to 2048, model.id to model.context)
                assertTrue(host.models().single().isLoaded)
            }
            eventually("its memory is given back") { host.used == 0L }
        }

    @Test
    fun `a load tells how far it is`() =
        story {
            val told = mutableListOf<LoadProgress>()
            host.load(TINY, told::add).close()
            assertEquals(LoadProgress(layers = 3, of = 3), told.last())
            assertEquals(told.sortedBy { it.layers }, told)
        }

    @Test
    fun `a model that two want is loaded once, and stays until both have let go`() =
        story {
            val one = host.load(TINY)
            val other = host.load(TINY)
            assertEquals(one.memory, host.used)
            one.close()
            assertTrue(other.answer(question(3)).isNotEmpty())
            assertEquals(other.memory, host.used)
            other.close()
            eventually("its memory is given back") { host.used == 0L }
        }

    @Test
    fun `who stops waiting for a model leaves nothing loaded`() =
        story {
            coroutineScope {
                // Some are there before anybody could stop waiting; most are not.
                val (stopped, loaded) =
                    List(20) { async(start = CoroutineStart.UNDISPATCHED) { host.load(TINY) }.also { it.cancelAndJoin() } }
                        .partition { it.isCancelled }
                assertTrue(stopped.isNotEmpty())
                loaded.forEach { it.await().close() }
            }
            eventually("nothing is loaded") { host.used == 0L }
            host.load(TINY).use { assertTrue(it.answer(question(2)).isNotEmpty()) }
        }

    @Test
    fun `a load that is cancelled by whoever hears of it ends there`() {
        var told = 0
        assertFailsWith<CancellationException> {
            story {
                coroutineScope {
                    host.load(TINY) {
                        told++
                        cancel()
                    }
                }
            }
        }
        assertEquals(1, told)
        eventually("nothing is loaded") { host.used == 0L }
    }

    @Test
    fun `what a listener throws ends the load and reaches the caller`() {
        val thrown =
            assertFailsWith<IllegalArgumentException> {
                story {
                    host.load(
                        TINY,
                    ) { throw IllegalArgumentException("provoked") }
                }
            }
        assertEquals("provoked", thrown.message)
        eventually("nothing is loaded") { host.used == 0L }
    }

    @Test
    fun `a model that is not there says which are, and a name that is none is refused`() {
        val missing = failsAs(ErrorKind.NOT_FOUND) { story { host.load("a/b") } }
        assertContains(missing.message, TINY)
        failsAs(ErrorKind.INVALID_ARGUMENT) { story { host.load("../up") } }
    }

    @Test
    fun `a directory that is not there is one without models`(
        @TempDir directory: File,
    ) = openHost(directory.resolve("models")).use { assertEquals(emptyList(), story(it::models)) }

    @Test
    fun `what cannot be loaded is listed with the reason`(
        @TempDir directory: File,
    ) {
        val broken = directory.resolve("somebody--broken").apply { mkdirs() }
        broken.resolve("config.json").writeText("""{"architectures": ["NobodyKnowsIt"], "model_type": "nobody"}""")
        broken.resolve("model.safetensors").writeText("")
        openHost(directory).use { host ->
            val listed = story(host::models).single()
            assertNull(listed.memory)
            assertTrue(assertNotNull(listed.refusal).isNotEmpty())
            failsAs(ErrorKind.UNSUPPORTED) { story { host.load("somebody/broken") } }
        }
    }

    @Test
    fun `a model that is too large for what the owner allows is refused by its memory`() {
        openHost(memoryCap = 64 shl 10).use { small ->
            assertNotNull(story(small::models).single().refusal)
            failsAs(ErrorKind.OUT_OF_MEMORY) { story { small.load(TINY) } }
            assertEquals(0, small.used)
        }
    }

    @Test
    fun `nothing is offered until the owner says so, and what is offered can be taken back`() =
        story {
            assertEquals(emptySet(), host.offered)
            host.offer(setOf(TINY))
            assertEquals(setOf(TINY), host.offered)
            assertTrue(host.models().single().isOffered)
            failsAs(ErrorKind.INVALID_ARGUMENT) { host.offer(setOf("../up")) }
            assertEquals(setOf(TINY), host.offered, "what was refused changes nothing")
            host.offer(emptySet())
            assertEquals(emptySet(), host.offered)
        }

    @Test
    fun `nonsense is refused before anything is opened`() {
        failsAs(ErrorKind.INVALID_ARGUMENT) { story { ModelHost.open(ModelHostOptions(tinyModels, context = -1)) } }
        failsAs(ErrorKind.NO_DEVICE) { story { ModelHost.open(ModelHostOptions(tinyModels, GpuOptions(BackendKind.METAL))) } }
    }

    @Test
    fun `what is used after closing says so, and may be closed again`() {
        val model = story { host.load(TINY) }
        host.close()
        host.close()
        failsAs(ErrorKind.CLOSED) { host.used }
        failsAs(ErrorKind.CLOSED) { host.device }
        failsAs(ErrorKind.CLOSED) { host.offer(setOf(TINY)) }
        failsAs(ErrorKind.CLOSED) { story(host::models) }
        failsAs(ErrorKind.CLOSED) { story { host.load(TINY) } }
        failsAs(ErrorKind.CLOSED) { story { model.answer(question(1)) } }
        failsAs(ErrorKind.CLOSED) { ExoNode.join(JoinOptions(only = emptySet()), Platform(models = host)) }
        model.close()
        model.close()
    }

    @Test
    fun `many threads close a host and its model, and nobody is hurt`() {
        val model = story { host.load(TINY) }
        List(8) { number ->
            thread { if (number % 2 == 0) model.close() else host.close() }
        }.forEach { it.join() }
        failsAs(ErrorKind.CLOSED) { story { model.answer(question(1)) } }
        failsAs(ErrorKind.CLOSED) { host.used }
    }

    @Test
    fun `a model holds its host, and when nobody has either both are gone`() {
        val before = nativeThreads(WORK)
        usesTheModelOfAForgottenHost()
        eventually("the thread of its host is gone") {
            System.gc()
            nativeThreads(WORK) <= before
        }
    }

    /** Apart, because a method may hold what it does not need any more until it returns. */
    private fun usesTheModelOfAForgottenHost() {
        val model = story { openHost().load(TINY) }
        repeat(10) {
            System.gc()
            Thread.sleep(10)
        }
        assertTrue(story { model.answer(question(3)) }.isNotEmpty())
    }

    private companion object {
        /** The thread that a host computes on. */
        const val WORK = "exo-models"
    }
}
