package dev.exo.mobile.android

import android.content.Context
import android.os.Build
import android.provider.Settings
import dev.exo.mobile.DeviceType
import dev.exo.mobile.Identity

/** Who this device is, by what its maker wrote into it. */
internal fun identityOf(context: Context): Identity {
    val model = known(Build.MODEL) ?: UNKNOWN
    return Identity(
        name = ownersName(context) ?: model,
        model = model,
        chip = chip(),
        // exo takes a leading digit for a macOS, so the system's name comes first.
        osVersion = "Android ${known(release()) ?: UNKNOWN}",
        osBuild = known(Build.ID) ?: UNKNOWN,
        vendor = vendor(),
        deviceType = DeviceType.MOBILE_ANDROID,
    )
}

/** What the owner typed under "Device name" in the settings. Some makers leave it empty. */
private fun ownersName(context: Context): String? =
    try {
        known(Settings.Global.getString(context.contentResolver, Settings.Global.DEVICE_NAME))
    } catch (_: SecurityException) {
        null
    }

/** A beta has no number yet, but a name. */
private fun release() =
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.R) Build.VERSION.RELEASE_OR_CODENAME else Build.VERSION.RELEASE

/** Before Android 12 there is only the name that the kernel gives the board, such as `qcom`. */
private fun chip() =
    (if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) known(Build.SOC_MODEL) else null) ?: known(Build.HARDWARE) ?: UNKNOWN

/** Who made the chip. Who made the phone is another question. */
private fun vendor() = (if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.S) known(Build.SOC_MANUFACTURER) else null) ?: UNKNOWN

private fun known(text: String?) = text?.trim()?.takeUnless { it.isEmpty() || it.equals(Build.UNKNOWN, ignoreCase = true) }

private const val UNKNOWN = "unknown"
