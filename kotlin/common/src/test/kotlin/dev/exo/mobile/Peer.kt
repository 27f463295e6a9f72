package dev.exo.mobile

import java.io.File
import java.net.DatagramSocket
import java.net.InetAddress
import java.net.ServerSocket
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse.BodyHandlers
import java.util.UUID
import kotlin.concurrent.thread

/**
 * The peer of `tests/peer`, which plays exo and dies of what exo would die of, on loopback alone and on ports of its own. Whoever
 * joins it by [options] stays on this computer too.
 */
class Peer : AutoCloseable {
    /** The name of its cluster. */
    val namespace = "kotlin-${UUID.randomUUID()}"

    /** Where it listens for a Hello. */
    val discoveryPort = DatagramSocket(0, LOOPBACK).use { it.localPort }
    private val routerPort = freePort()
    private val apiPort = freePort()
    private val process = start()

    /** Its id. */
    val id: String

    init {
        Runtime.getRuntime().addShutdownHook(Thread(process::destroyForcibly))
        val said = process.inputReader()
        val ready = said.lineSequence().firstOrNull { "\"ready\"" in it }
        id = checkNotNull(ready) { "the peer did not start: $peerPython" }.substringAfter("\"node\": \"").substringBefore('"')
        // It says much more. Nobody asks, but somebody must listen, or it would wait.
        thread(isDaemon = true) { runCatching { said.forEachLine { } } }
    }

    private fun start(): Process {
        val who = listOf("--loopback", "--name", "mac", "--namespace", namespace, "--downloads", "3")
        val where = listOf("--discovery-port", "$discoveryPort", "--zenoh-port", "$routerPort", "--api-port", "$apiPort")
        return ProcessBuilder(listOf(peerPython, "-m", "peer") + who + where)
            .directory(root.resolve("tests"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start()
    }

    /** How to join it: by a Hello to this very computer. The link only says where its HTTP interface is. */
    fun options(name: String = "pixel") =
        JoinOptions(
            name = name,
            namespace = namespace,
            only = setOf(Provider.LOOPBACK),
            discoveryPort = discoveryPort,
            confirmedLink = Exo.readLink("exo://127.0.0.1:$routerPort?ns=$namespace&api=$apiPort"),
        )

    /** Its `/state`, as it tells the world. */
    fun state(): String {
        val request = HttpRequest.newBuilder(URI("http://127.0.0.1:$apiPort/state")).build()
        return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body()
    }

    /** What that node answers to who asks the cluster, with its own copy of a model that every exo knows. */
    fun asks(
        node: String,
        model: File,
        question: Question,
    ): String {
        val words = listOf("$apiPort", node, model.path, "${question.maxTokens}", question.messages.single().content)
        val asking =
            ProcessBuilder(listOf(peerPython, "-m", "peer.asked") + words)
                .directory(root.resolve("tests"))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start()
        return asking.inputReader().readText().also { check(asking.waitFor() == 0) { "the cluster does not answer" } }
    }

    /** Whether nothing that it heard ended it. */
    val isAlive: Boolean get() = process.isAlive

    override fun close() {
        process.destroy()
        process.waitFor()
    }
}

private val LOOPBACK = InetAddress.getLoopbackAddress()

private fun freePort(): Int = ServerSocket(0, 1, LOOPBACK).use { it.localPort }
