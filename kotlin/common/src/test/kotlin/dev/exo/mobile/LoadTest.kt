package dev.exo.mobile

import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import java.nio.ByteBuffer
import java.util.concurrent.Callable
import java.util.concurrent.CountDownLatch
import java.util.concurrent.CyclicBarrier
import java.util.concurrent.Executors
import kotlin.test.Test
import kotlin.test.assertEquals

/** Many threads at once. */
class LoadTest {
    @Test
    fun `each of many threads gets its own bytes back`() {
        runBlocking { openCpu() }.use { gpu ->
            val together = CyclicBarrier(THREADS)
            onThreads { number ->
                val (sent, back) = ByteBuffer.allocateDirect(4096) to ByteBuffer.allocateDirect(4096)
                repeat(4096) { sent.put(it, number.toByte()) }
                together.await()
                gpu.allocate(4096).use { buffer ->
                    repeat(200) {
                        buffer.write(sent.rewind())
                        buffer.read(back.clear())
                        assertEquals(sent.rewind(), back.rewind())
                    }
                }
            }
            assertEquals(0, gpu.memory.used)
        }
    }

    @Test
    fun `a device that is closed while many threads use it is an error for them and no crash`() {
        val gpu = runBlocking { openCpu() }
        val begun = CountDownLatch(THREADS)
        val closing =
            Executors.newSingleThreadExecutor().run {
                submit {
                    begun.await()
                    gpu.close()
                }.also { shutdown() }
            }
        val ends =
            onThreads {
                begun.countDown()
                untilItFails { gpu.allocate(1024).use { it.write(ByteArray(1024)) } }
            }
        closing.get()
        assertEquals(setOf(ErrorKind.CLOSED), ends.toSet())
    }

    @Test
    fun `a node that is closed while many threads ask it is an error for them and no crash`() {
        val node = ExoNode.join(JoinOptions(only = emptySet()))
        val ends =
            onThreads { number ->
                if (number == 0) node.close()
                untilItFails {
                    node.cluster
                    runBlocking { node.states.first() }
                }
            }
        assertEquals(setOf(ErrorKind.CLOSED), ends.toSet())
    }

    @Test
    fun `many nodes live in one process, each with an id of its own`() =
        runBlocking {
            val nodes = List(THREADS) { async(Dispatchers.IO) { ExoNode.join(JoinOptions(only = emptySet())) } }.awaitAll()
            try {
                assertEquals(THREADS, nodes.map { it.id }.toSet().size)
            } finally {
                nodes.forEach(ExoNode::close)
            }
        }

    private fun untilItFails(call: () -> Unit): ErrorKind {
        while (true) {
            try {
                call()
            } catch (ended: ExoException) {
                return ended.kind
            } catch (_: NoSuchElementException) {
                // A flow that ended before its first value.
            }
        }
    }

    private fun <T> onThreads(work: (Int) -> T): List<T> {
        val pool = Executors.newFixedThreadPool(THREADS)
        try {
            return pool.invokeAll(List(THREADS) { number -> Callable { work(number) } }).map { it.get() }
        } finally {
            pool.shutdown()
        }
    }

    private companion object {
        const val THREADS = 16
    }
}
