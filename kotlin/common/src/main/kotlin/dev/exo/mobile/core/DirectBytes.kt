package dev.exo.mobile.core

import com.sun.jna.NativeLibrary
import java.nio.ByteBuffer

/**
 * Bulk bytes by pointer, through JNI. The library has functions of these names; they return null, or the number of a kind of
 * error and words.
 *
 * Nobody may write to the bytes during a call.
 */
internal object DirectBytes {
    private const val LIBRARY = "exo_mobile"

    init {
        // JNA has opened the library already, from wherever it found it. JNI only sees what the JVM itself has opened, so it
        // opens the same file again, which the system answers with the same library. On Android the file may lie inside the
        // app's archive, where only its name leads to it.
        val name = System.getProperty("uniffi.component.$LIBRARY.libraryOverride") ?: LIBRARY
        val file = NativeLibrary.getInstance(name, About::class.java.classLoader).file
        if (file?.isAbsolute == true) System.load(file.path) else System.loadLibrary(LIBRARY)
    }

    @JvmStatic
    external fun write(
        handle: Long,
        offset: Long,
        bytes: ByteBuffer,
        position: Int,
        length: Int,
    ): String?

    @JvmStatic
    external fun read(
        handle: Long,
        offset: Long,
        bytes: ByteBuffer,
        position: Int,
        length: Int,
    ): String?

    /** Answers `0` where nothing more is wanted. */
    @JvmStatic
    external fun receive(
        handle: Long,
        bytes: ByteBuffer,
        position: Int,
        length: Int,
    ): String?
}
