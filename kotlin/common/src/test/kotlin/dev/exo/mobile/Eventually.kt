package dev.exo.mobile

import java.io.File
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** Waits for a condition that nobody tells of. The deadline is only there for failures. */
fun eventually(
    what: String,
    check: () -> Boolean,
) {
    val began = TimeSource.Monotonic.markNow()
    while (!check()) {
        if (began.elapsedNow() > 30.seconds) throw AssertionError("not within 30 s: $what")
        Thread.sleep(10)
    }
}

/** How many threads of this process the library has started, under names that begin so. */
fun nativeThreads(name: String = "exo-"): Int {
    val names = File("/proc/self/task").listFiles().orEmpty().map { it.resolve("comm") }
    return names.count { file -> runCatching { file.readText().startsWith(name) }.getOrDefault(false) }
}
