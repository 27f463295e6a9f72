package dev.exo.mobile.android

import android.app.Activity
import android.provider.Settings
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.android.LocalNetworkPermission.State
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.Robolectric
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertFalse
import kotlin.test.assertTrue

/** The local network, which only Android 17 asks about. */
@RunWith(RobolectricTestRunner::class)
class LocalNetworkPermissionTest {
    @Test
    @Config(sdk = [26, 34])
    fun `before Android 17 nobody is asked`() {
        assertEquals(State.NOT_NEEDED, LocalNetworkPermission.state(activity()))
        assertFalse(LocalNetworkPermission.ask(activity(), 1))
        LocalNetworkPermission.require(app)
    }

    @Test
    @Config(sdk = [37])
    fun `an app made for Android 16 is not asked on 17 either`() {
        targeting(36)
        assertEquals(State.NOT_NEEDED, LocalNetworkPermission.state(activity()))
    }

    @Test
    @Config(sdk = [37])
    fun `an app made for Android 17 asks, and may then speak`() {
        targeting(37)
        val activity = activity()
        assertEquals(State.DENIED, LocalNetworkPermission.state(activity))
        assertTrue(LocalNetworkPermission.ask(activity, 7))
        assertEquals(
            listOf(LocalNetworkPermission.NAME),
            shadowOf(activity).lastRequestedPermission.requestedPermissions.toList(),
        )
        allow(LocalNetworkPermission.NAME)
        assertEquals(State.GRANTED, LocalNetworkPermission.state(activity))
        assertFalse(LocalNetworkPermission.ask(activity, 7), "there is nothing to ask for")
    }

    @Test
    @Config(sdk = [37])
    fun `the first no can be asked again, the second is for good, and a yes in the settings heals it`() {
        targeting(37)
        val activity = activity()
        explanationIsDue(true)
        assertEquals(State.DENIED, LocalNetworkPermission.state(activity))
        explanationIsDue(false)
        assertEquals(State.DENIED_FOR_GOOD, LocalNetworkPermission.state(activity))
        assertFalse(LocalNetworkPermission.ask(activity, 7), "Android would show nothing")
        assertEquals(Settings.ACTION_APPLICATION_DETAILS_SETTINGS, LocalNetworkPermission.settings(app).action)
        allow(LocalNetworkPermission.NAME)
        assertEquals(State.GRANTED, LocalNetworkPermission.state(activity))
        shadowOf(app).denyPermissions(LocalNetworkPermission.NAME)
        assertEquals(State.DENIED, LocalNetworkPermission.state(activity), "a new story")
    }

    @Test
    @Config(sdk = [37])
    fun `without it the search says so instead of finding nothing`() {
        targeting(37)
        val refused =
            assertFailsWith<ExoException> { NsdDiscovery(app).browse("_exo._tcp", {}, { _, _ -> }) }
        assertEquals(ErrorKind.NOT_PERMITTED, refused.kind)
        assertContains(refused.message, "blocks every connection")
    }

    @Test
    fun `each state has words`() =
        assertEquals(
            State.entries.size,
            State.entries
                .map(LocalNetworkPermission::explain)
                .toSet()
                .size,
        )

    private fun activity(): Activity = Robolectric.buildActivity(Activity::class.java).setup().get()

    private fun explanationIsDue(due: Boolean) =
        shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(LocalNetworkPermission.NAME, due)
}
