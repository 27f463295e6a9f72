package org.example.phone

import android.content.ComponentName
import android.content.Context
import android.content.ContextWrapper
import android.content.Intent
import dev.exo.mobile.BackendKind
import dev.exo.mobile.Exo
import dev.exo.mobile.ExoException
import dev.exo.mobile.ExoNode
import dev.exo.mobile.Gpu
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.KeyStore
import dev.exo.mobile.LogSink
import dev.exo.mobile.NodeState
import dev.exo.mobile.Platform
import dev.exo.mobile.Provider
import dev.exo.mobile.android.ExoNodeService
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import java.io.File
import java.nio.ByteBuffer
import java.util.concurrent.atomic.AtomicInteger

/**
 * An app that has nothing but the archive. Its test starts it after R8 was over it, and reads what it says.
 *
 * The arguments say where the peer is that plays exo: namespace, port of discovery, link; and a folder.
 */
object App {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (namespace, discovery, link, folder) = arguments
        println("about: ${Exo.about().version}")
        meetAnError()
        runBlocking {
            copyOnTheGpu()
            joinACluster(namespace, discovery.toInt(), link)
        }
        startTheService(File(folder))
        println("over")
    }

    /** Plain data that is thrown: kind and words come from Rust. */
    private fun meetAnError() {
        try {
            Exo.readLink("exo://")
        } catch (met: ExoException) {
            println("error: ${met.kind}, ${met.message}")
        }
    }

    /** Futures, and bytes by pointer through JNI. */
    private suspend fun copyOnTheGpu() =
        Gpu.open(GpuOptions(BackendKind.CPU)).use { gpu ->
            val sent = ByteBuffer.allocateDirect(1 shl 20)
            while (sent.hasRemaining()) sent.put((sent.position() * 31).toByte())
            sent.flip()
            gpu.allocate(sent.capacity().toLong()).use { buffer ->
                buffer.write(sent)
                val back = ByteBuffer.allocateDirect(sent.capacity())
                buffer.read(back)
                sent.rewind()
                back.rewind()
                println("gpu: ${gpu.device.backend}, ${if (back == sent) "the same" else "other"} bytes came back")
            }
        }

    /** Streams, and code of the app that Rust calls. */
    private suspend fun joinACluster(
        namespace: String,
        discovery: Int,
        link: String,
    ) {
        val lines = AtomicInteger()
        val keys = Remembered()
        val platform = Platform(keys = keys, log = LogSink { _, _, _ -> lines.incrementAndGet() })
        val options =
            JoinOptions(
                name = "shrunk",
                namespace = namespace,
                only = setOf(Provider.LOOPBACK),
                discoveryPort = discovery,
                confirmedLink = Exo.readLink(link),
            )
        ExoNode.join(options, platform).use { node ->
            node.states.first { it is NodeState.Joined }
            val cluster = node.clusters.first { it.isComplete && it.nodes.mapNotNull { node -> node.name }.size == 2 }
            println("joined: ${cluster.nodes.map { it.name.orEmpty() }.sorted()}")
            node.leave()
        }
        println("identity: ${if (keys.kept == null) "lost" else "kept"}")
        println("log: ${if (lines.get() > 0) "heard" else "silent"}")
    }

    /** The class that the archive's manifest names must be the one that an app starts. */
    private fun startTheService(folder: File) {
        val phone = Recording(folder)
        ExoNodeService.start(phone, JoinOptions(), Platform())
        println("service: ${phone.started?.component?.className}")
    }

    private class Remembered : KeyStore {
        var kept: String? = null

        override fun load(): String? = kept

        override fun save(identity: String) {
            kept = identity
        }
    }

    /** As much of a phone as it takes to ask for a service. */
    private class Recording(
        private val folder: File,
    ) : ContextWrapper(null) {
        var started: Intent? = null

        override fun getApplicationContext(): Context = this

        override fun getPackageName() = "org.example.phone"

        override fun getNoBackupFilesDir() = folder

        override fun startForegroundService(service: Intent): ComponentName? {
            started = service
            return service.component
        }
    }
}
