package dev.exo.mobile.android

import android.app.Application
import android.content.Intent
import android.os.BatteryManager
import android.os.Looper
import dev.exo.mobile.Reading
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import java.time.Duration
import kotlin.test.assertContains
import kotlin.test.assertIs

// The phone that the tests run on, as Robolectric plays it.

internal val app: Application get() = RuntimeEnvironment.getApplication()

internal inline fun <reified T : Any> system(): T = checkNotNull(app.getSystemService(T::class.java))

/** What the battery says from now on. */
internal fun batterySays(vararg extras: Pair<String, Int>) {
    val intent = Intent(Intent.ACTION_BATTERY_CHANGED)
    intent.putExtra(BatteryManager.EXTRA_PRESENT, true)
    extras.forEach { (key, value) -> intent.putExtra(key, value) }
    @Suppress("DEPRECATION")
    app.sendStickyBroadcast(intent)
}

/** Lets the main thread do all that is due now, or within [time]. */
internal fun mainThread(time: Duration = Duration.ZERO) = shadowOf(Looper.getMainLooper()).idleFor(time)

/** An app that targets this version of Android. */
internal fun targeting(version: Int) {
    app.applicationInfo.targetSdkVersion = version
}

/** The owner has answered. */
internal fun allow(permission: String) = shadowOf(app).grantPermissions(permission)

internal fun assertUnavailable(
    reading: Reading<*>,
    why: String,
) = assertContains(assertIs<Reading.Unavailable>(reading, "$reading").why, why)
