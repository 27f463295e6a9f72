package dev.exo.mobile.android

import android.util.Log
import dev.exo.mobile.ExoNode
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.LogLevel
import dev.exo.mobile.valueOrNull
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowLog
import kotlin.test.assertEquals
import kotlin.test.assertNotNull
import kotlin.test.assertNull

/** All parts together, and the small ones. */
@RunWith(RobolectricTestRunner::class)
class PlatformTest {
    @Test
    fun `every part has a default`() {
        val platform = AndroidPlatform.of(app)
        assertEquals(5, listOfNotNull(platform.probe, platform.discovery, platform.keys, platform.log, platform.lifecycle).size)
    }

    @Test
    @Config(sdk = [34])
    fun `a node on Android is as Android says, through the real library`() =
        runBlocking {
            val platform = AndroidPlatform.of(app)
            ExoNode.join(JoinOptions(only = emptySet()), platform).use { node ->
                assertEquals(node.id, platform.keys?.load())
                val readings = node.conditions.first { it.readings.battery.powerSave.valueOrNull != null }.readings
                assertEquals(false, readings.battery.powerSave.valueOrNull)
                assertUnavailable(readings.cpu.utilisation, "from apps")
            }
        }

    @Test
    fun `an identity outlives the app`() {
        assertNull(PreferencesKeyStore(app).load())
        PreferencesKeyStore(app).save("node-1")
        assertEquals("node-1", PreferencesKeyStore(app).load())
    }

    @Test
    fun `the log goes to Logcat under the part's tag, and debug lines only where they are asked for`() {
        LogcatSink().log(LogLevel.WARNING, "node", "something")
        LogcatSink().log(LogLevel.DEBUG, "node", "details")
        assertEquals(listOf(Log.WARN to "something"), ShadowLog.getLogsForTag("exo.node").map { it.type to it.msg })
        ShadowLog.setLoggable("exo.node", Log.DEBUG)
        LogcatSink().log(LogLevel.DEBUG, "node", "details")
        assertNotNull(ShadowLog.getLogsForTag("exo.node").find { it.msg == "details" })
    }

    @Test
    fun `a long line is not cut`() {
        val line = "x".repeat(10_000)
        LogcatSink().log(LogLevel.INFO, "gpu", line)
        assertEquals(line, ShadowLog.getLogsForTag("exo.gpu").joinToString("") { it.msg })
    }
}
