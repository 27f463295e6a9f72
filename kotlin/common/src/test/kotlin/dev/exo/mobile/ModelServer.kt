package dev.exo.mobile

import com.sun.net.httpserver.HttpExchange
import com.sun.net.httpserver.HttpServer
import java.io.File
import java.net.InetAddress
import java.net.InetSocketAddress
import java.security.MessageDigest
import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.CountDownLatch
import java.util.concurrent.Executors
import java.util.concurrent.atomic.AtomicInteger

/**
 * A server with Hugging Face's addresses on loopback, which has the tiny model.
 *
 * @property cuts How many answers it cuts in the middle, before it brings them whole.
 * @property sendsTo Where it sends those who want a file, instead of giving it.
 * @property rest Until when it says nothing after the first half of the weights; it says all at once if left out.
 */
class ModelServer(
    cuts: Int = 0,
    private val sendsTo: String? = null,
    private val rest: CountDownLatch? = null,
) : AutoCloseable {
    private val files =
        tinyModels
            .resolve("exo-mobile--tiny-random")
            .listFiles()
            .orEmpty()
            .associateBy(File::getName)
    private val cutsLeft = AtomicInteger(cuts)
    private val threads = Executors.newCachedThreadPool()
    private val server = HttpServer.create(InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0)

    /** The tokens that came with requests. */
    val tokens = ConcurrentLinkedQueue<String>()

    /** Bytes that were asked for from some place on. */
    val ranges = ConcurrentLinkedQueue<String>()

    /** Opens when it says nothing for the first time. */
    val silence = CountDownLatch(1)

    val base: String get() = "http://127.0.0.1:${server.address.port}"

    init {
        server.executor = threads
        server.createContext("/") { exchange ->
            exchange.requestHeaders.getFirst("Authorization")?.let(tokens::add)
            exchange.use { answer(it) }
        }
        server.start()
    }

    private fun answer(exchange: HttpExchange) {
        val path = exchange.requestURI.path
        val file = files[path.substringAfterLast('/')]
        when {
            path.startsWith("/api/models/$TINY/tree/") -> give(exchange, list().toByteArray())
            file == null || !path.startsWith("/$TINY/resolve/") -> exchange.sendResponseHeaders(404, -1)
            sendsTo != null -> send(exchange, "$sendsTo$path")
            else -> give(exchange, file.readBytes())
        }
    }

    private fun send(
        exchange: HttpExchange,
        to: String,
    ) {
        exchange.responseHeaders.add("Location", to)
        exchange.sendResponseHeaders(302, -1)
    }

    private fun give(
        exchange: HttpExchange,
        whole: ByteArray,
    ) {
        val range = exchange.requestHeaders.getFirst("Range")
        val from = range?.removePrefix("bytes=")?.substringBefore('-')?.toInt() ?: 0
        if (range != null) {
            ranges += range
            exchange.responseHeaders.add("Content-Range", "bytes $from-${whole.size - 1}/${whole.size}")
        }
        exchange.sendResponseHeaders(if (range == null) 200 else 206, (whole.size - from).toLong())
        val isLong = whole.size - from > 1000
        val half = from + (whole.size - from) / 2
        val isCut = isLong && cutsLeft.getAndDecrement() > 0
        exchange.responseBody.write(whole, from, half - from)
        exchange.responseBody.flush()
        if (rest != null && whole.size > 100_000) {
            silence.countDown()
            rest.await()
        }
        if (!isCut) exchange.responseBody.write(whole, half, whole.size - half)
        exchange.responseBody.flush()
    }

    private fun list() =
        files.values.joinToString(prefix = "[", postfix = "]") { file ->
            """{"type": "file", "path": "${file.name}", "size": ${file.length()}, "oid": "${gitHash(file.readBytes())}"}"""
        }

    private fun gitHash(bytes: ByteArray): String {
        val hash = MessageDigest.getInstance("SHA-1")
        hash.update("blob ${bytes.size}\u0000".toByteArray())
        return hash.digest(bytes).joinToString("") { "%02x".format(it) }
    }

    override fun close() {
        server.stop(0)
        threads.shutdownNow()
    }
}
