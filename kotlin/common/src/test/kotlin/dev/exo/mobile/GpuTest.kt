package dev.exo.mobile

import kotlinx.coroutines.CoroutineStart
import kotlinx.coroutines.async
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.runBlocking
import java.nio.ByteBuffer
import kotlin.concurrent.thread
import kotlin.test.AfterTest
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertContentEquals
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** On the CPU backend, which every machine has, unless a test says otherwise. */
class GpuTest {
    private val gpu = runBlocking { openCpu() }

    @AfterTest
    fun close() = gpu.close()

    @Test
    fun `the device says what it is`() {
        val device = gpu.device
        assertEquals(BackendKind.CPU, device.backend)
        assertTrue(device.name.isNotEmpty())
        assertTrue(device.memoryBytes > 0)
        assertTrue((device.computeUnits ?: 0) > 0, device.computeUnitsNote)
        assertContains(gpu.devices, device)
    }

    @Test
    fun `a backend that this machine does not have is no device and says why`() {
        val none = failsAs(ErrorKind.NO_DEVICE) { runBlocking { Gpu.open(GpuOptions(BackendKind.METAL)) } }
        assertContains(none.message, "metal", ignoreCase = true)
    }

    @Test
    fun `memory is counted when it is taken and when it is given back`() {
        val before = gpu.memory.used
        val buffer = gpu.allocate(1 shl 20)
        assertEquals(1L shl 20, buffer.size)
        assertTrue(gpu.memory.used >= before + buffer.size)
        buffer.close()
        assertEquals(before, gpu.memory.used)
    }

    @Test
    fun `more memory than the owner allows is refused`() {
        runBlocking { Gpu.open(GpuOptions(BackendKind.CPU, memoryCap = 1 shl 20)) }.use { small ->
            failsAs(ErrorKind.OUT_OF_MEMORY) { small.allocate(1 shl 24) }
        }
    }

    @Test
    fun `a size that cannot be is refused`() {
        failsAs(ErrorKind.INVALID_ARGUMENT) { gpu.allocate(-1) }
        failsAs(ErrorKind.INVALID_ARGUMENT) { gpu.allocate(0) }
    }

    @Test
    fun `direct bytes go to the device and come back the same`() {
        val sent = pattern(1 shl 22)
        gpu.allocate(sent.capacity().toLong()).use { buffer ->
            buffer.write(sent)
            assertEquals(0, sent.remaining(), "all of it was taken")
            val back = ByteBuffer.allocateDirect(sent.capacity())
            buffer.read(back)
            assertEquals(0, back.remaining(), "all of it was filled")
            assertEquals(sent.rewind(), back.rewind())
        }
    }

    @Test
    fun `bytes of the heap go the same way`() {
        val sent = pattern(4096, ByteBuffer.allocate(4096))
        gpu.allocate(4096).use { buffer ->
            buffer.write(sent)
            val back = ByteBuffer.allocate(4096)
            buffer.read(back)
            assertEquals(sent.rewind(), back.rewind())
            buffer.write(byteArrayOf(1, 2, 3), offset = 7)
            assertContentEquals(byteArrayOf(1, 2, 3), buffer.read(3, offset = 7))
        }
    }

    @Test
    fun `only what remains between position and limit is copied`() {
        val sent = pattern(64)
        sent.position(16).limit(32)
        gpu.allocate(64).use { buffer ->
            buffer.write(ByteArray(64))
            buffer.write(sent, offset = 8)
            val all = buffer.read(64)
            assertContentEquals(ByteArray(16) { (it + 16).toByte() }, all.copyOfRange(8, 24))
            assertContentEquals(ByteArray(8), all.copyOfRange(0, 8))
            assertContentEquals(ByteArray(40), all.copyOfRange(24, 64))
        }
    }

    @Test
    fun `bytes outside of a buffer are refused and none is touched`() {
        gpu.allocate(16).use { buffer ->
            buffer.write(ByteArray(16) { 5 })
            val sent = pattern(16)
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.write(sent, offset = 1) }
            assertEquals(16, sent.remaining(), "nothing was taken")
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.write(sent, offset = -1) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.write(sent, offset = Long.MAX_VALUE) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.read(ByteBuffer.allocateDirect(17)) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.read(17) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.read(-1) }
            assertContentEquals(ByteArray(16) { 5 }, buffer.read(16))
        }
    }

    @Test
    fun `a read-only buffer is never written to`() {
        val kept = ByteBuffer.allocateDirect(16)
        gpu.allocate(16).use { buffer ->
            buffer.write(ByteArray(16) { 5 })
            failsAs(ErrorKind.INVALID_ARGUMENT) { buffer.read(kept.asReadOnlyBuffer()) }
        }
        assertEquals(0, kept.get(0))
    }

    @Test
    fun `no bytes at all are no mistake`() {
        gpu.allocate(16).use { buffer ->
            buffer.write(ByteBuffer.allocateDirect(0), offset = 16)
            buffer.read(ByteBuffer.allocate(0))
            assertEquals(0, buffer.read(0).size)
        }
    }

    @Test
    fun `one buffer is copied to another`() {
        gpu.allocate(3).use { from ->
            gpu.allocate(3).use { to ->
                from.write(byteArrayOf(7, 8, 9))
                from.copyTo(to)
                assertContentEquals(byteArrayOf(7, 8, 9), to.read(3))
            }
        }
    }

    @Test
    fun `a freed buffer says so and is freed again without complaint`() {
        val buffer = gpu.allocate(16)
        buffer.close()
        buffer.close()
        failsAs(ErrorKind.CLOSED) { buffer.write(pattern(16)) }
        failsAs(ErrorKind.CLOSED) { buffer.read(ByteBuffer.allocateDirect(16)) }
        gpu.allocate(16).use { other ->
            failsAs(ErrorKind.CLOSED) { buffer.copyTo(other) }
            failsAs(ErrorKind.CLOSED) { other.copyTo(buffer) }
        }
    }

    @Test
    fun `a buffer holds its device, and when nobody has either both are gone`() {
        val before = nativeThreads(QUEUE)
        usesTheBufferOfAForgottenDevice(before)
        eventually("the thread of its device is gone") {
            System.gc()
            nativeThreads(QUEUE) <= before
        }
    }

    /** Apart, because a method may hold what it does not need any more until it returns. */
    private fun usesTheBufferOfAForgottenDevice(before: Int) {
        val buffer = bufferOfAForgottenDevice()
        eventually("its device works") { nativeThreads(QUEUE) > before }
        repeat(10) {
            System.gc()
            Thread.sleep(10)
        }
        buffer.write(pattern(16))
    }

    private fun bufferOfAForgottenDevice(): GpuBuffer {
        val gpu = runBlocking { openCpu() }
        return gpu.allocate(16).also { it.copyTo(gpu.allocate(16)) }
    }

    @Test
    fun `through Vulkan, bytes go to the device and come back the same`() {
        runBlocking { Gpu.open(GpuOptions(BackendKind.VULKAN)) }.use { gpu ->
            assertEquals(BackendKind.VULKAN, gpu.device.backend)
            gpu.allocate(1 shl 20).use { buffer ->
                val back = ByteBuffer.allocateDirect(1 shl 20)
                buffer.write(pattern(1 shl 20))
                buffer.read(back)
                assertEquals(pattern(1 shl 20), back.rewind())
            }
        }
    }

    @Test
    fun `the device may be closed before its buffers`() {
        val buffer = gpu.allocate(16)
        gpu.close()
        gpu.close()
        failsAs(ErrorKind.CLOSED) { buffer.write(pattern(16)) }
        failsAs(ErrorKind.CLOSED) { gpu.allocate(16) }
        failsAs(ErrorKind.CLOSED) { gpu.device }
        failsAs(ErrorKind.CLOSED) { runBlocking { gpu.synchronise() } }
        buffer.close()
        buffer.close()
    }

    @Test
    fun `many threads close one device and nobody is hurt`() {
        val buffer = gpu.allocate(16)
        List(8) {
            thread {
                buffer.close()
                gpu.close()
            }
        }.forEach { it.join() }
        failsAs(ErrorKind.CLOSED) { gpu.memory }
    }

    @Test
    fun `who stops waiting for a device leaves none open`() =
        runBlocking {
            val before = nativeThreads()
            // Some are opened before anybody could stop waiting; most are not.
            val (stopped, opened) =
                List(20) { async(start = CoroutineStart.UNDISPATCHED) { openCpu() }.also { it.cancelAndJoin() } }
                    .partition { it.isCancelled }
            assertTrue(stopped.isNotEmpty())
            opened.forEach { it.await().close() }
            eventually("the threads of those devices are gone") { nativeThreads() <= before }
            openCpu().use { assertEquals(BackendKind.CPU, it.device.backend) }
        }

    @Test
    fun `every kernel is tested and told of, also to a listener that throws`() =
        runBlocking {
            val told = mutableListOf<SelfTestProgress>()
            val reports =
                gpu.selfTest {
                    told += it
                    throw AssertionError("provoked")
                }
            assertEquals(reports.size, told.last().done)
            assertTrue(reports.all { it.verdict == Verdict.Trusted }, "$reports")
        }

    @Test
    fun `the device is measured`() =
        runBlocking {
            assertTrue((gpu.calibrate().memory.perSecond ?: 0.0) > 0)
        }

    private companion object {
        /** The thread that a device has once it was given work. */
        const val QUEUE = "exo-gpu-queue"
    }
}

internal suspend fun openCpu(): Gpu = Gpu.open(GpuOptions(BackendKind.CPU))

/** 0, 1, 2, ... */
internal fun pattern(
    bytes: Int,
    into: ByteBuffer = ByteBuffer.allocateDirect(bytes),
): ByteBuffer {
    repeat(bytes) { into.put(it, it.toByte()) }
    return into
}
