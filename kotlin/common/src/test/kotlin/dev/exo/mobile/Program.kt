package dev.exo.mobile

import java.io.File
import java.util.concurrent.TimeUnit

// Programs of their own. What the library does to a process shows only at the end of one.

/** The project. */
val root: File = File(System.getProperty("exo.root")).canonicalFile

/** A Python with `tests/requirements.txt`, for the peer. */
val peerPython: String get() = System.getenv("PEER_PYTHON") ?: "$root/.tools/python/bin/python"

/**
 * How a program ended.
 *
 * @property said All that it wrote.
 */
class Ended(
    val code: Int,
    val said: String,
)

/** The command that runs this class in a JVM of its own, with the same classes and the same library. */
fun java(
    main: String,
    vararg arguments: String,
): List<String> {
    val java = "${System.getProperty("java.home")}/bin/java"
    val library = "-Djna.library.path=${System.getProperty("jna.library.path")}"
    return listOf(java, library, "-Xmx64m", "-cp", System.getProperty("java.class.path"), main) + arguments
}

/** Runs a command until it ends by itself. The deadline is only there for failures. */
fun runToItsEnd(
    command: List<String>,
    vararg environment: Pair<String, String>,
): Ended {
    val output = File.createTempFile("exo-program", ".txt")
    try {
        val program = ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output)
        program.environment() += environment
        val process = program.start()
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly)
            process.destroyForcibly().waitFor()
            throw AssertionError("it did not end within 60 s: $command\n${output.readText()}")
        }
        return Ended(process.exitValue(), output.readText())
    } finally {
        output.delete()
    }
}
