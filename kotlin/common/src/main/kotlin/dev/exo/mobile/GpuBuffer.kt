package dev.exo.mobile

import dev.exo.mobile.core.DirectBytes
import java.nio.Buffer
import java.nio.ByteBuffer
import dev.exo.mobile.core.GpuBuffer as CoreBuffer

/**
 * A range of device memory. [close] gives it back; so does closing its [Gpu].
 *
 * Bulk bytes belong into a direct `ByteBuffer` ([ByteBuffer.allocateDirect]): they are copied once, into the device's memory or
 * out of it. A heap `ByteBuffer` or a `ByteArray` works too, by way of a direct copy of the same size.
 *
 * It may be used from any thread; nobody may change the bytes of a `ByteBuffer` during a call with it.
 */
public class GpuBuffer internal constructor(
    private val core: CoreBuffer,
    // Who has a buffer may let go of its device, and a device that nobody holds is closed, with all of its buffers.
    @Suppress("unused") private val gpu: Gpu,
) : AutoCloseable {
    private val handle = calling { core.handle() }.toLong()

    /** How many bytes it has. */
    public val size: Long = calling { core.size() }.asLong()

    /**
     * Copies what remains in [bytes], from its position to its limit, to the device, from the byte [offset] on. The position
     * moves to the limit.
     *
     * @throws ExoException of the kind `INVALID_ARGUMENT` if it does not fit; then nothing is written.
     */
    public fun write(
        bytes: ByteBuffer,
        offset: Long = 0,
    ) {
        offset.unsigned("an offset")
        val length = bytes.remaining()
        if (bytes.isDirect) {
            directly { DirectBytes.write(handle, offset, bytes, bytes.position(), length) }
        } else {
            val direct = ByteBuffer.allocateDirect(length).put(bytes.duplicate())
            directly { DirectBytes.write(handle, offset, direct, 0, length) }
        }
        bytes.exhaust()
    }

    /**
     * Fills what remains in [bytes], from its position to its limit, from the byte [offset] of the device's memory on. The
     * position moves to the limit.
     *
     * @throws ExoException of the kind `INVALID_ARGUMENT` if there is less than that; then nothing is read.
     */
    public fun read(
        bytes: ByteBuffer,
        offset: Long = 0,
    ) {
        offset.unsigned("an offset")
        if (bytes.isReadOnly) throw ExoException(ErrorKind.INVALID_ARGUMENT, "the ByteBuffer is read-only")
        val length = bytes.remaining()
        if (bytes.isDirect) {
            directly { DirectBytes.read(handle, offset, bytes, bytes.position(), length) }
            bytes.exhaust()
        } else {
            val direct = ByteBuffer.allocateDirect(length)
            directly { DirectBytes.read(handle, offset, direct, 0, length) }
            bytes.put(direct)
        }
    }

    /** Copies all of [bytes] to the device, from the byte [offset] on. For small things. */
    public fun write(
        bytes: ByteArray,
        offset: Long = 0,
    ): Unit = write(ByteBuffer.wrap(bytes), offset)

    /** Copies [length] bytes from the device, from the byte [offset] on. For small things. */
    public fun read(
        length: Int,
        offset: Long = 0,
    ): ByteArray {
        length.unsigned("a length")
        if (offset < 0 || length > size - offset) {
            throw ExoException(
                ErrorKind.INVALID_ARGUMENT,
                "$length bytes from $offset on were asked of a buffer of $size bytes; stay within 0..$size",
            )
        }
        return ByteArray(length).also { read(ByteBuffer.wrap(it), offset) }
    }

    /** Copies all of it to the beginning of [other], which may belong to another device. */
    public fun copyTo(other: GpuBuffer): Unit = calling { core.copyTo(other.core) }

    /** Gives the memory back. Once or again, from any thread, before or after its [Gpu] was closed. */
    override fun close() {
        // It is handed over to other calls, and the bindings do not look whether its reference was given back: it stays ours.
        calling { core.free() }
    }
}

/** By `Buffer`'s own method: Android before 9 has no other. */
private fun Buffer.exhaust() {
    position(limit())
}
