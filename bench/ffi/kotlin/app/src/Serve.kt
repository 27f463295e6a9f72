package dev.exo.bench

/** Works for the benchmark line by line; bench/race/src/peer.rs has the protocol. */
fun main() {
    val works = bytesWorks() + callWorks()
    // What the machine's compiler has not yet seen often enough would be measured as interpreted code.
    repeat(WARM_UPS) { works.values.forEach { it() } }
    println("version Java ${System.getProperty("java.version")}")
    works.keys.forEach { println("variant $it") }
    println("ready")
    generateSequence(::readLine).forEach { name ->
        println(works[name]?.let { work -> "%.12f".format(work()) } ?: "error there is no work called $name")
    }
}

/** Does a piece of work and gives the seconds that each of its repetitions took. */
typealias Work = () -> Double

inline fun timed(
    times: Int,
    crossinline work: () -> Unit,
): Work =
    {
        val start = System.nanoTime()
        repeat(times) { work() }
        (System.nanoTime() - start) / 1e9 / times
    }

private const val WARM_UPS = 20
