package dev.exo.mobile.sample

import dev.exo.mobile.JoinOptions
import dev.exo.mobile.Provider
import java.io.File
import java.net.HttpURLConnection
import java.net.ServerSocket
import java.net.URI
import kotlin.concurrent.thread

/**
 * The peer of `tests/peer`, which plays exo on this computer alone and dies of what exo would die of. It always has the same
 * name and id, so that it always looks the same.
 */
class Peer(
    vararg more: String,
) : AutoCloseable {
    private val root = File(System.getProperty("exo.root")).canonicalFile
    private val ports = List(3) { ServerSocket(0) }.map { socket -> socket.use { it.localPort } }
    private val process = start(more.toList())

    init {
        Runtime.getRuntime().addShutdownHook(Thread(process::destroyForcibly))
        val said = process.inputStream.bufferedReader()
        checkNotNull(said.lineSequence().firstOrNull { "\"ready\"" in it }) { "the peer did not start: ${python()}" }
        // It says much more. Nobody asks, but somebody must listen, or it would wait.
        thread(isDaemon = true) { runCatching { said.forEachLine { } } }
        // Its HTTP interface opens a moment later.
        while (process.isAlive && runCatching { state() }.isFailure) Thread.sleep(20)
    }

    private fun python() = System.getenv("EXO_PYTHON") ?: "$root/.tools/python/bin/python"

    private fun start(more: List<String>): Process {
        val (discovery, zenoh, api) = ports
        val flags =
            listOf("--loopback", "--name", "Ada's Mac", "--node-id", ID, "--namespace", NAMESPACE) +
                listOf("--discovery-port", "$discovery", "--zenoh-port", "$zenoh", "--api-port", "$api") + more
        return ProcessBuilder(listOf(python(), "-m", "peer") + flags)
            .directory(root.resolve("tests"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
    }

    /** [options], as far as they stay on this computer: only this peer is looked for. */
    fun only(options: JoinOptions): JoinOptions =
        options.copy(namespace = NAMESPACE, only = setOf(Provider.LOOPBACK), discoveryPort = ports[0], confirmedLink = null)

    /** Its `/state`, as it tells the world. */
    fun state(): String =
        (URI("http://127.0.0.1:${ports[2]}/state").toURL().openConnection() as HttpURLConnection).run {
            inputStream.bufferedReader().use { it.readText() }
        }

    /** Whether nothing that it heard ended it. */
    val isAlive: Boolean get() = process.isAlive

    /** Holds its breath: whoever says goodbye waits for an answer. */
    fun freeze(): Unit = signal("STOP")

    fun thaw(): Unit = signal("CONT")

    private fun signal(name: String) = check(ProcessBuilder("kill", "-$name", "${process.pid()}").start().waitFor() == 0)

    override fun close() {
        thaw()
        process.destroy()
        process.waitFor()
    }

    companion object {
        const val ID = "5e1f0a3c9d2b4e6f8a7b6c5d4e3f2a1b"
        const val NAMESPACE = "home"
    }
}
