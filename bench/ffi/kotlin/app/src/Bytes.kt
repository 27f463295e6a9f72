package dev.exo.bench

import com.sun.jna.Native
import com.sun.jna.Pointer
import dev.exo.mobile.BackendKind
import dev.exo.mobile.Gpu
import dev.exo.mobile.GpuOptions
import kotlinx.coroutines.runBlocking
import java.nio.ByteBuffer
import uniffi.bench_plain.read as uniffiRead
import uniffi.bench_plain.write as uniffiWrite

private const val SIZE = 1 shl 20

/** P11: bytes to a device's buffer and back, beside the system's own copy and beside UniFFI's lists. */
fun bytesWorks(): Map<String, Work> {
    val gpu = runBlocking { Gpu.open(GpuOptions(backend = BackendKind.VULKAN)) }
    val buffer = gpu.allocate(SIZE.toLong())
    val pattern = ByteArray(SIZE) { (it xor (it shr 8) xor (it shr 16)).toByte() }
    val source = ByteBuffer.allocateDirect(SIZE).put(pattern)
    val target = ByteBuffer.allocateDirect(SIZE)

    val write = { source.clear().also { buffer.write(source) } }
    val read = { target.clear().also { buffer.read(target) } }
    write()
    read()
    check(target.flip() == source.flip()) { "what came back is not what was sent" }
    uniffiWrite(pattern)
    check(uniffiRead().contentEquals(pattern)) { "what came back as a list is not what was sent" }

    val (from, to) = Native.getDirectBufferPointer(source) to Native.getDirectBufferPointer(target)
    val copy = timed(64) { Libc.memcpy(to, from, SIZE.toLong()) }
    return mapOf(
        "write.ours" to timed(64) { write() },
        "write.uniffi" to timed(4) { uniffiWrite(pattern) },
        "read.ours" to timed(64) { read() },
        "read.uniffi" to timed(4) { uniffiRead() },
        "memcpy" to copy,
    )
}

/** C's own copy, without what the JVM does around its own. */
private object Libc {
    init {
        Native.register("c")
    }

    @JvmStatic
    external fun memcpy(
        to: Pointer,
        from: Pointer,
        count: Long,
    ): Pointer
}
