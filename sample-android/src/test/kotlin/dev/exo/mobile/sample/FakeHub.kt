package dev.exo.mobile.sample

import dev.exo.mobile.FetchReceiver
import dev.exo.mobile.FetchRequest
import dev.exo.mobile.Fetcher
import java.io.File
import java.io.IOException
import java.net.URI
import java.nio.ByteBuffer
import java.security.MessageDigest
import java.util.concurrent.CountDownLatch

/** Hugging Face without a network: whatever model one asks for, its files are those of the tiny one. */
class FakeHub : Fetcher {
    /** Whether there is a network at all. */
    @Volatile var isOnline = true

    /** Until when the weights are held back, after their first half. */
    @Volatile var holdsBack: CountDownLatch? = null

    private val files = Models.files()

    override fun get(
        request: FetchRequest,
        into: FetchReceiver,
    ) {
        if (!isOnline) throw IOException("no route to the host")
        val path = URI(request.url).path.removePrefix("/")
        val file = files.firstOrNull { path.endsWith("/${it.name}") }
        when {
            path.startsWith("api/models/") -> give(request, into, list().toByteArray())
            file == null -> into.head(404, request.url, emptyList())
            else -> give(request, into, file.readBytes(), holdsBack.takeIf { file.extension == "safetensors" })
        }
    }

    private fun give(
        request: FetchRequest,
        into: FetchReceiver,
        whole: ByteArray,
        holdsBack: CountDownLatch? = null,
    ) {
        val range = request.headers.firstOrNull { it.first.equals("Range", ignoreCase = true) }?.second
        val from = range?.removePrefix("bytes=")?.substringBefore('-')?.toInt() ?: 0
        val length = "Content-Length" to "${whole.size - from}"
        val part = "Content-Range" to "bytes $from-${whole.size - 1}/${whole.size}"
        val (status, headers) = if (range == null) 200 to listOf(length) else 206 to listOf(length, part)
        val isWanted = into.head(status, request.url, headers)
        val half = from + (whole.size - from) / 2
        if (!isWanted || !into.chunk(direct(whole, from, half))) return
        holdsBack?.await()
        into.chunk(direct(whole, half, whole.size))
    }

    private fun direct(
        whole: ByteArray,
        from: Int,
        to: Int,
    ) = ByteBuffer.allocateDirect(to - from).put(whole, from, to - from).also { it.flip() }

    private fun list() =
        files.joinToString(prefix = "[", postfix = "]") {
            """{"type": "file", "path": "${it.name}", "size": ${it.length()}, "oid": "${gitHash(it)}"}"""
        }

    private fun gitHash(file: File): String {
        val hash = MessageDigest.getInstance("SHA-1")
        hash.update("blob ${file.length()}\u0000".toByteArray())
        return hash.digest(file.readBytes()).joinToString("") { "%02x".format(it) }
    }
}
