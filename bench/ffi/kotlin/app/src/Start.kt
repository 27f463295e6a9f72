package dev.exo.bench

import uniffi.bench_empty.answer

/**
 * P27: what the first use of a library costs an app that has just started. Prints the seconds: from the first line of this
 * program until a node was opened (`ours`), or until the empty library of UniFFI has answered (`uniffi`).
 */
object Start {
    @JvmStatic
    fun main(arguments: Array<String>) {
        val start = System.nanoTime()
        when (arguments.single()) {
            "ours" -> joinNobody()
            "uniffi" -> answer()
            else -> error("expected `ours` or `uniffi`, not ${arguments.single()}")
        }
        println("%.9f".format((System.nanoTime() - start) / 1e9))
        // The node's threads would end with it, a quarter of a second later.
        Runtime.getRuntime().halt(0)
    }
}
