package dev.exo.mobile

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.io.TempDir
import java.io.File
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CountDownLatch
import java.util.concurrent.TimeUnit
import kotlin.test.AfterTest
import kotlin.test.BeforeTest
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertTrue
import kotlin.time.Duration.Companion.hours

/** A model comes to this device through the system's own client, from a server that does what servers do. */
class FetchTest {
    @TempDir
    private lateinit var directory: File
    private lateinit var host: ModelHost

    @BeforeTest
    fun open() {
        host = openHost(directory)
    }

    @AfterTest
    fun close() = host.close()

    @Test
    fun `a model is fetched with progress, and can be asked then`() {
        ModelServer().use { server ->
            runBlocking {
                assertEquals(emptyList(), host.models())
                val last = host.fetch(TINY, base = server.base).toList().last()
                assertEquals(last.total to last.files, last.done to last.filesDone)
                assertTrue(last.fresh > 100_000)
                host.load(TINY).use { assertTrue(it.answer(question(5)).isNotEmpty()) }
            }
        }
    }

    @Test
    fun `an answer that is cut is asked for from where it was`() {
        ModelServer(cuts = 2).use { server ->
            runBlocking { host.fetch(TINY, base = server.base).toList() }
            assertTrue(server.ranges.isNotEmpty())
            assertTrue(runBlocking { host.models() }.single().memory != null)
        }
    }

    @Test
    fun `a download that nobody collects any more stops, and the next one goes on`() {
        ModelServer().use { server ->
            runBlocking {
                host.fetch(TINY, base = server.base).first()
                host.fetch(TINY, base = server.base).toList()
                assertEquals(TINY, host.models().single().id)
            }
        }
    }

    @Test
    fun `who cancels does not wait for a server that says nothing`() {
        val rest = CountDownLatch(1)
        val client = TellsOfCancels(UrlFetcher(patience = 1.hours))
        ModelServer(rest = rest).use { server ->
            runBlocking {
                val download = launch(Dispatchers.IO) { host.fetch(TINY, client, base = server.base).toList() }
                opens(server.silence)
                download.cancelAndJoin()
            }
            opens(client.cancelled)
            // Only now: the cancel was over while the server still said nothing.
            rest.countDown()
        }
    }

    /** The deadline is only there for failures. */
    private fun opens(latch: CountDownLatch) = assertTrue(latch.await(30, TimeUnit.SECONDS))

    /** Tells when the cancel of the request for the weights has returned. */
    private class TellsOfCancels(
        private val client: Fetcher,
    ) : Fetcher {
        private val weights = ConcurrentHashMap.newKeySet<Long>()
        val cancelled = CountDownLatch(1)

        override fun get(
            request: FetchRequest,
            into: FetchReceiver,
        ) {
            if (request.url.endsWith(".safetensors")) weights += request.id
            client.get(request, into)
        }

        override fun cancel(id: Long) {
            client.cancel(id)
            if (id in weights) cancelled.countDown()
        }
    }

    @Test
    fun `a token goes to the server that it was meant for and to no other`() {
        ModelServer().use { other ->
            ModelServer(sendsTo = other.base).use { server ->
                runBlocking { host.fetch(TINY, base = server.base, token = "hf_secret").toList() }
                assertContains(server.tokens, "Bearer hf_secret")
                assertEquals(emptyList(), other.tokens.toList())
            }
        }
    }

    @Test
    fun `what a server does not have, and what is no address, are told by their kinds`() {
        ModelServer().use { server ->
            val missing = assertFailsWith<ExoException> { runBlocking { host.fetch("a/b", base = server.base).toList() } }
            assertEquals(ErrorKind.NOT_FOUND, missing.kind)
            val wrong = assertFailsWith<ExoException> { runBlocking { host.fetch(TINY, base = "ftp://x").toList() } }
            assertEquals(ErrorKind.INVALID_ARGUMENT, wrong.kind)
        }
    }

    @Test
    fun `a client of the app's own that throws is a server that did not answer`() {
        val broken =
            object : Fetcher {
                override fun get(
                    request: FetchRequest,
                    into: FetchReceiver,
                ): Unit = throw ExoException(ErrorKind.INVALID_ARGUMENT, "no network today")
            }
        runBlocking {
            val progress = host.fetch(TINY, broken).first()
            assertEquals(0, progress.total)
        }
    }

    @Test
    fun `the cluster may bring models while the app lends its client, and from no server that is none`() {
        host.fetchForCluster(UrlFetcher(), base = "http://127.0.0.1:9", anyModel = true)
        host.fetchForCluster(null)
        val wrong = assertFailsWith<ExoException> { host.fetchForCluster(UrlFetcher(), base = "ftp://x") }
        assertEquals(ErrorKind.INVALID_ARGUMENT, wrong.kind)
    }

    @Test
    fun `a model is taken off the disk, unless it is loaded`() {
        ModelServer().use { server ->
            runBlocking {
                host.fetch(TINY, base = server.base).toList()
                host.load(TINY).use {
                    val loaded = assertFailsWith<ExoException> { host.delete(TINY) }
                    assertEquals(ErrorKind.INVALID_ARGUMENT, loaded.kind)
                }
                eventually("it is let go of") { host.used == 0L }
                assertTrue(host.delete(TINY))
                assertEquals(emptyList(), host.models())
            }
        }
    }

    @Test
    fun `where memory is short a model gives some back`() {
        openHost().use { host ->
            runBlocking {
                host.load(TINY).use { model ->
                    model.answer(question(20))
                    val before = host.used
                    val relief = host.relieve().single()
                    assertEquals(TINY, relief.model)
                    assertEquals(before - relief.freed, host.used)
                }
            }
        }
    }
}
