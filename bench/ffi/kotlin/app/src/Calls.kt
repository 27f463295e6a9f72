package dev.exo.bench

import dev.exo.mobile.BackendKind
import dev.exo.mobile.ExoNode
import dev.exo.mobile.Gpu
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.Provider
import kotlinx.coroutines.runBlocking
import uniffi.bench_empty.answer
import uniffi.bench_plain.Named
import java.nio.ByteBuffer

private const val CALLS = 5_000

/** P28: one small call, beside the least that UniFFI can do and beside UniFFI's own method of the same shape. */
fun callWorks(): Map<String, Work> {
    val node = joinNobody()
    val named = Named.of(node.id)
    check(named.id() == node.id) { "the rival's answer is another" }
    val gpu = runBlocking { Gpu.open(GpuOptions(backend = BackendKind.CPU)) }
    val buffer = gpu.allocate(64)
    val number = ByteBuffer.allocateDirect(Int.SIZE_BYTES)
    return mapOf(
        "call.bytes" to timed(CALLS) { number.clear().also { buffer.write(number) } },
        "call.id" to timed(CALLS) { node.id },
        "call.uniffi.id" to timed(CALLS) { named.id() },
        "call.uniffi" to timed(CALLS) { answer() },
    )
}

/** A node that only listens on this machine, at a port where nobody is: nothing is sent to any network. */
fun joinNobody(): ExoNode =
    ExoNode.join(JoinOptions(name = "bench", only = setOf(Provider.LOOPBACK), measureLinks = false, discoveryPort = 53_999))
