package dev.exo.mobile

import dev.exo.mobile.core.LogSink as CoreLogSink

/** Where the library's log goes, such as Logcat. */
public fun interface LogSink {
    /**
     * One [line] about a part of the library: `node`, `discovery`, `gpu`.
     *
     * Called from a thread of its own. One that is too slow loses lines, and holds up nothing; what it throws is not heard.
     */
    public fun log(
        level: LogLevel,
        about: String,
        line: String,
    )
}

internal class AppLog(
    private val sink: LogSink,
) : CoreLogSink {
    override fun log(
        level: LogLevel,
        about: String,
        line: String,
    ): Unit = answering { sink.log(level, about, line) }
}
