package dev.exo.mobile.sample

import android.content.SharedPreferences
import dev.exo.mobile.sample.words.Wishes

/** Keeps [Wishes] over restarts. */
class Settings(
    private val kept: SharedPreferences,
) {
    var wishes: Wishes
        get() {
            val plain = Wishes()
            return Wishes(
                name = kept.getString(NAME, null) ?: plain.name,
                link = kept.getString(LINK, null),
                onlyWhileCharging = kept.getBoolean(CHARGING, plain.onlyWhileCharging),
                wifiOnly = kept.getBoolean(WIFI, plain.wifiOnly),
                foregroundOnly = kept.getBoolean(FOREGROUND, plain.foregroundOnly),
                quietNights = kept.getBoolean(NIGHTS, plain.quietNights),
                minBattery = kept.getInt(BATTERY, plain.minBattery),
                served = kept.getStringSet(SERVED, null)?.toSet() ?: plain.served,
            )
        }
        set(wishes) =
            kept
                .edit()
                .putString(NAME, wishes.name)
                .putString(LINK, wishes.link)
                .putBoolean(CHARGING, wishes.onlyWhileCharging)
                .putBoolean(WIFI, wishes.wifiOnly)
                .putBoolean(FOREGROUND, wishes.foregroundOnly)
                .putBoolean(NIGHTS, wishes.quietNights)
                .putInt(BATTERY, wishes.minBattery)
                .putStringSet(SERVED, wishes.served)
                .apply()

    private companion object {
        const val NAME = "name"
        const val LINK = "link"
        const val CHARGING = "only while charging"
        const val WIFI = "wifi only"
        const val FOREGROUND = "foreground only"
        const val NIGHTS = "quiet nights"
        const val BATTERY = "min battery"
        const val SERVED = "served"
    }
}
