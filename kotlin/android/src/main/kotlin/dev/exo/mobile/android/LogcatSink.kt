package dev.exo.mobile.android

import android.util.Log
import dev.exo.mobile.LogLevel
import dev.exo.mobile.LogSink

/**
 * The library's log in Logcat, under tags such as `exo.node` and `exo.discovery`.
 *
 * Debug lines are left out unless somebody asks for them: `adb shell setprop log.tag.exo.node DEBUG`.
 */
public class LogcatSink : LogSink {
    override fun log(
        level: LogLevel,
        about: String,
        line: String,
    ) {
        val tag = logTag(about)
        val priority = level.priority()
        if (!Log.isLoggable(tag, priority)) return
        // Logcat cuts what is longer than about 4,000 bytes, and a character has up to three.
        line.chunked(LONGEST_LINE).forEach { Log.println(priority, tag, it) }
    }

    private fun LogLevel.priority() =
        when (this) {
            LogLevel.DEBUG -> Log.DEBUG
            LogLevel.INFO -> Log.INFO
            LogLevel.WARNING -> Log.WARN
            LogLevel.ERROR -> Log.ERROR
        }

    private companion object {
        const val LONGEST_LINE = 1_300
    }
}

internal fun logTag(about: String) = "exo.$about"
