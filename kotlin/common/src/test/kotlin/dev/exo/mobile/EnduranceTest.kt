package dev.exo.mobile

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.yield
import java.io.File
import java.nio.ByteBuffer
import kotlin.test.Test

/** Many calls and many objects leave nothing behind, neither on the heap nor beside it. */
class EnduranceTest {
    @Test
    fun `a hundred thousand small calls leave nothing behind`() {
        runBlocking { openCpu() }.use { gpu ->
            gpu.allocate(64).use { buffer ->
                val bytes = ByteBuffer.allocateDirect(64)
                flat(times = 33_400) {
                    gpu.memory
                    buffer.write(bytes.clear())
                    buffer.read(bytes.clear())
                }
            }
        }
    }

    @Test
    fun `ten thousand errors leave nothing behind`() {
        runBlocking { openCpu() }.use { gpu ->
            gpu.allocate(64).use { buffer ->
                flat(times = 5_000) {
                    failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.write(ByteArray(65)) }
                    failsAs(ErrorKind.INVALID_ARGUMENT) { Exo.readLink("?") }
                }
            }
        }
    }

    @Test
    fun `a thousand devices with their buffers leave nothing behind`() =
        flat(times = 1_000) {
            runBlocking { openCpu() }.use { gpu -> gpu.allocate(1 shl 16).use { it.write(byteArrayOf(1)) } }
        }

    @Test
    fun `a thousand nodes leave nothing behind`() = flat(times = 1_000) { ExoNode.join(ALONE).use { it.state } }

    @Test
    fun `a thousand collectors that are cancelled while they wait leave nothing behind`() =
        ExoNode.join(ALONE).use { node ->
            flat(times = 1_000) {
                runBlocking {
                    val waiting = CompletableDeferred<Unit>()
                    val collector = launch { node.states.collect { waiting.complete(Unit) } }
                    waiting.await()
                    yield()
                    collector.cancelAndJoin()
                }
            }
        }

    @Test
    fun `a thousand questions, half of them taken back, leave nothing behind`() =
        openHost().use { host ->
            runBlocking { host.load(TINY) }.use { model ->
                flat(times = 500) {
                    runBlocking {
                        model.answer(question(1))
                        model.ask(question(100)).first()
                    }
                }
            }
        }

    @Test
    fun `a hundred hosts with their models leave nothing behind`() =
        flat(times = 100) { openHost().use { host -> runBlocking { host.load(TINY) }.use { it.id } } }

    /**
     * Memory stops growing. Compilers, allocators and the threads that clean up keep some of what they had, so early rounds may
     * grow. A leak grows in every round.
     */
    private fun flat(
        times: Int,
        work: () -> Unit,
    ) {
        repeat(times / 10) { work() }
        val seen = mutableListOf(Held.now())
        repeat(ROUNDS) {
            repeat(times) { work() }
            seen += Held.now()
            if (seen.last().isFlatAfter(seen[seen.size - 2])) return
        }
        throw AssertionError("each time, $times of them left something behind: $seen")
    }

    /** What this process holds. */
    private data class Held(
        val heapBytes: Long,
        val residentBytes: Long,
        val threads: Int,
        val files: Int,
    ) {
        /** By a leak of a hundred bytes a call, it would have grown by more than this. */
        fun isFlatAfter(before: Held) =
            heapBytes - before.heapBytes < MB &&
                residentBytes - before.residentBytes < 8 * MB &&
                threads <= before.threads + 1 &&
                files <= before.files + 1

        companion object {
            /** Once the cleaners have come to rest: they free in threads of their own. */
            fun now(): Held {
                var last = Long.MAX_VALUE
                eventually("the heap settles") {
                    val now = heap()
                    (last - now < MB / 10).also { last = now }
                }
                return Held(last, resident(), nativeThreads(), File("/proc/self/fd").list().orEmpty().size)
            }

            private fun heap(): Long {
                System.gc()
                return Runtime.getRuntime().run { totalMemory() - freeMemory() }
            }

            private fun resident(): Long {
                val kilobytes = File("/proc/self/status").readLines().first { it.startsWith("VmRSS:") }
                return kilobytes.filter(Char::isDigit).toLong() * 1024
            }
        }
    }

    private companion object {
        const val MB = 1_000_000L
        const val ROUNDS = 4
        val ALONE = JoinOptions(only = emptySet())
    }
}
