package dev.exo.mobile.android

import android.app.ActivityManager
import android.content.Context
import android.os.StatFs
import dev.exo.mobile.DiskReadings
import dev.exo.mobile.MemoryReadings
import dev.exo.mobile.Pressure
import dev.exo.mobile.Reading
import java.io.File

internal fun memoryOf(context: Context): MemoryReadings {
    val activities =
        context.getSystemService(ActivityManager::class.java)
            ?: return missing("ActivityManager").let { MemoryReadings(it, it, it, it) }
    val memory = ActivityManager.MemoryInfo().also(activities::getMemoryInfo)
    return MemoryReadings(
        total = bytes(memory.totalMem),
        available = bytes(memory.availMem),
        appLimit = appLimit(activities),
        pressure = Reading.Measured(if (memory.lowMemory) Pressure.CRITICAL else Pressure.NONE),
    )
}

/**
 * Android limits the heap of Java alone. The library's memory lies outside of it, so that limit is told in words: as a figure it
 * would promise far too little.
 */
private fun appLimit(activities: ActivityManager): Reading<Long> =
    look {
        val plain = activities.memoryClass
        val large = activities.largeMemoryClass
        Reading.Unavailable(
            "Android sets no limit to an app's own memory outside of Java; Java's heap may have $plain MiB, " +
                "or $large MiB with android:largeHeap",
        )
    }

internal fun diskOf(folder: File): DiskReadings =
    try {
        val disk = StatFs(folder.path)
        DiskReadings(bytes(disk.totalBytes), bytes(disk.availableBytes))
    } catch (gone: IllegalArgumentException) {
        Reading.Unavailable("$folder cannot be looked at: ${gone.message}").let { DiskReadings(it, it) }
    }

/** No device has 0 bytes of anything: that is Android's way to say that it does not know. */
private fun bytes(count: Long): Reading<Long> =
    if (count > 0) Reading.Measured(count) else Reading.Unavailable("Android says $count bytes, which no device has")
