package dev.exo.mobile

import java.io.IOException
import java.net.HttpURLConnection
import java.net.URL
import java.nio.ByteBuffer
import java.nio.channels.Channels
import java.util.concurrent.ConcurrentHashMap
import kotlin.concurrent.thread
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * Fetches with the system's own client, which knows its proxy and its certificates. On Android that is the platform's
 * `HttpURLConnection`, and the app needs the permission `INTERNET`.
 *
 * @property patience How long a server may say nothing.
 */
public class UrlFetcher(
    public val patience: Duration = 30.seconds,
) : Fetcher {
    private val open = ConcurrentHashMap<Long, Course>()

    override fun get(
        request: FetchRequest,
        into: FetchReceiver,
    ) {
        val course = Course()
        open[request.id] = course
        try {
            hand(answered(request, course), into)
        } finally {
            open.remove(request.id)
            course.connection?.disconnect()
        }
    }

    override fun cancel(id: Long) {
        open.remove(id)?.cancel()
    }

    /** A request under way: from redirect to redirect it has another connection. */
    private class Course {
        @Volatile
        var connection: HttpURLConnection? = null
            private set

        @Volatile
        private var isCancelled = false

        /** @throws IOException if nobody waits for it any more. */
        fun goesOn(next: HttpURLConnection) {
            connection = next
            // Whoever cancelled it meanwhile may have looked too early.
            if (isCancelled) throw IOException("cancelled")
        }

        /**
         * On Android its read fails, and the call returns. Other JVMs let nobody close a stream that is being read: there it
         * returns with the next bytes, or when patience ends. Who cancels waits for neither.
         */
        fun cancel() {
            isCancelled = true
            val connection = connection ?: return
            // It does not matter what comes of it, and on Android a thread that throws ends the app.
            thread(isDaemon = true, name = "exo-fetch-cancel") { runCatching { connection.disconnect() } }
        }
    }

    /** The answer that is not a redirect. The system's own way of following would take a token along to anybody. */
    private fun answered(
        request: FetchRequest,
        course: Course,
    ): HttpURLConnection {
        val asked = URL(request.url)
        var url = asked
        repeat(MOST_REDIRECTS + 1) {
            val connection = ask(url, request, withToken = url.origin == asked.origin)
            course.goesOn(connection)
            if (connection.responseCode !in REDIRECTS) return connection
            val target = connection.getHeaderField("Location")
            connection.disconnect()
            if (target == null) throw IOException("${url.host} redirects to nowhere")
            val next = URL(url, target)
            if (next.protocol !in PROTOCOLS || (url.protocol == "https" && next.protocol != "https")) {
                throw IOException("${url.host} redirects from https to ${next.protocol}")
            }
            url = next
        }
        throw IOException("${asked.host} redirects more than $MOST_REDIRECTS times")
    }

    private fun ask(
        url: URL,
        request: FetchRequest,
        withToken: Boolean,
    ): HttpURLConnection {
        val connection = url.openConnection() as HttpURLConnection
        connection.instanceFollowRedirects = false
        connection.useCaches = false
        connection.connectTimeout = patience.inWholeMilliseconds.toInt()
        connection.readTimeout = patience.inWholeMilliseconds.toInt()
        request.headers.filter { withToken || !it.first.equals("Authorization", ignoreCase = true) }.forEach { (name, value) ->
            connection.setRequestProperty(name, value)
        }
        return connection
    }

    private fun hand(
        connection: HttpURLConnection,
        into: FetchReceiver,
    ) {
        // The status line has no name.
        val headers = connection.headerFields.filterKeys { it != null }.map { (name, values) -> name to values.first() }
        if (!into.head(connection.responseCode, connection.url.toString(), headers)) return
        val body = (if (connection.responseCode < FAILURE) connection.inputStream else connection.errorStream) ?: return
        val chunk = ByteBuffer.allocateDirect(CHUNK_BYTES)
        Channels.newChannel(body).use { channel ->
            while (channel.read(chunk) >= 0) {
                chunk.flip()
                if (!into.chunk(chunk)) return
                chunk.clear()
            }
        }
    }

    private companion object {
        private const val CHUNK_BYTES = 128 * 1024
        private const val MOST_REDIRECTS = 10
        private const val FAILURE = 400
        private val REDIRECTS = setOf(301, 302, 303, 307, 308)
        private val PROTOCOLS = setOf("http", "https")
        private val URL.origin get() = Triple(protocol, host, if (port == -1) defaultPort else port)
    }
}
