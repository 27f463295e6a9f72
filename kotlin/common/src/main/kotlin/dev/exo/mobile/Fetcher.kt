package dev.exo.mobile

import dev.exo.mobile.core.DirectBytes
import java.nio.Buffer
import java.nio.ByteBuffer
import dev.exo.mobile.core.FetchReceiver as CoreReceiver
import dev.exo.mobile.core.FetchRequest as CoreRequest
import dev.exo.mobile.core.Fetcher as CoreFetcher
import dev.exo.mobile.core.HttpHeader as CoreHeader

/**
 * One `GET`.
 *
 * @property id Which; the name for [Fetcher.cancel].
 * @property url Where.
 * @property headers What to send with it, beside what a client sends by itself. A token may be among them.
 */
public class FetchRequest internal constructor(
    public val id: Long,
    public val url: String,
    public val headers: List<Pair<String, String>>,
)

/**
 * The app's HTTP client, which fetches models. [UrlFetcher] is one for every JVM; an app that has Cronet or OkHttp already brings
 * its own.
 *
 * It follows redirects: at most ten, never from `https` to `http`, and with `Authorization` only to the host that it was meant
 * for. It keeps no cache: models are large, and verified by the library.
 */
public interface Fetcher {
    /**
     * Fetches, and blocks until the body ended or the receiver wants no more. Called from several threads at once.
     *
     * Any status is an answer; an exception is for what prevented one, or cut it short.
     */
    public fun get(
        request: FetchRequest,
        into: FetchReceiver,
    )

    /** Nobody waits for this request any more: whatever it blocks on may be closed. */
    public fun cancel(id: Long) {}
}

/** Takes the answer of a server. Its calls block while there is no room: that is how a server is slowed down. */
public class FetchReceiver internal constructor(
    private val core: CoreReceiver,
) {
    private val handle = calling { core.handle() }.toLong()

    /** How the answer begins: first, and once. [url] is where it came from in the end. Whether more is wanted. */
    public fun head(
        status: Int,
        url: String,
        headers: List<Pair<String, String>>,
    ): Boolean = calling { core.head(status.toUShort(), url, headers.map { (name, value) -> CoreHeader(name, value) }) }

    /**
     * A piece of the body: what remains in [bytes], which are direct ([ByteBuffer.allocateDirect]); 64 to 256 KiB are good. Its
     * position moves to the limit. Whether more is wanted.
     */
    public fun chunk(bytes: ByteBuffer): Boolean {
        val told = DirectBytes.receive(handle, bytes, bytes.position(), bytes.remaining())
        if (told == "0") return false
        directly { told }
        (bytes as Buffer).position(bytes.limit())
        return true
    }
}

internal class AppFetcher(
    private val fetcher: Fetcher,
) : CoreFetcher {
    override fun `get`(
        request: CoreRequest,
        into: CoreReceiver,
    ) {
        into.use {
            answering {
                val headers = request.headers.map { it.name to it.value }
                fetcher.get(FetchRequest(request.id.toLong(), request.url, headers), FetchReceiver(into))
            }
        }
    }

    override fun cancel(id: ULong): Unit = answering { fetcher.cancel(id.toLong()) }
}
