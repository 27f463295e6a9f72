package dev.exo.mobile.android

import android.app.ActivityManager
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.provider.Settings
import dev.exo.mobile.Group
import dev.exo.mobile.NetworkKind
import dev.exo.mobile.Pressure
import dev.exo.mobile.Readings
import dev.exo.mobile.valueOrNull
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.Shadows.shadowOf
import org.robolectric.annotation.Config
import org.robolectric.shadows.ShadowBuild
import org.robolectric.shadows.ShadowNetworkCapabilities
import org.robolectric.shadows.ShadowStatFs
import java.io.File
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** Memory, network, disk, and who the device is. */
@RunWith(RobolectricTestRunner::class)
class ProbeTest {
    @Test
    fun `memory is what Android counts, and low memory is pressure`() {
        hasMemory(total = 8_000_000_000, available = 3_000_000_000, isLow = false)
        with(read(Group.MEMORY).memory) {
            assertEquals(8_000_000_000, total.valueOrNull)
            assertEquals(3_000_000_000, available.valueOrNull)
            assertEquals(Pressure.NONE, pressure.valueOrNull)
        }
        hasMemory(total = 8_000_000_000, available = 100_000_000, isLow = true)
        assertEquals(Pressure.CRITICAL, read(Group.MEMORY).memory.pressure.valueOrNull)
    }

    @Test
    fun `Java's limit is told in words, and is not the app's`() {
        shadowOf(system<ActivityManager>()).setMemoryClass(256)
        assertUnavailable(read(Group.MEMORY).memory.appLimit, "256 MiB")
    }

    @Test
    fun `nothing is ever 0 bytes`() {
        hasMemory(total = 0, available = 0, isLow = false)
        assertUnavailable(read(Group.MEMORY).memory.total, "0 bytes")
        assertUnavailable(read(Group.MEMORY).memory.available, "0 bytes")
    }

    @Test
    fun `each carrier has its kind, and a VPN hides it`() {
        assertEquals(NetworkKind.WIFI, kindOn(NetworkCapabilities.TRANSPORT_WIFI))
        assertEquals(NetworkKind.ETHERNET, kindOn(NetworkCapabilities.TRANSPORT_ETHERNET))
        assertEquals(NetworkKind.CELLULAR, kindOn(NetworkCapabilities.TRANSPORT_CELLULAR))
        assertEquals(NetworkKind.OTHER, kindOn(NetworkCapabilities.TRANSPORT_BLUETOOTH))
        assertEquals(NetworkKind.OTHER, kindOn(NetworkCapabilities.TRANSPORT_WIFI, NetworkCapabilities.TRANSPORT_VPN))
    }

    @Test
    fun `bytes cost money unless the network says that they do not`() {
        networkHas(NetworkCapabilities.TRANSPORT_WIFI)
        assertEquals(true, read(Group.NETWORK).network.metered.valueOrNull)
        networkHas(NetworkCapabilities.TRANSPORT_WIFI, free = true)
        assertEquals(false, read(Group.NETWORK).network.metered.valueOrNull)
    }

    @Test
    fun `no network is a kind of its own, and costs nothing to speak of`() {
        shadowOf(system<ConnectivityManager>()).setDefaultNetworkActive(false)
        assertEquals(NetworkKind.NONE, read(Group.NETWORK).network.kind.valueOrNull)
        assertUnavailable(read(Group.NETWORK).network.metered, "there is no network")
    }

    @Test
    fun `the disk that counts is the one with the models`() {
        val models = File("/models")
        ShadowStatFs.registerStats(models, 1_000, 500, 400)
        with(AndroidProbe(app, models).read(setOf(Group.DISK)).disk) {
            assertEquals(1_000L * ShadowStatFs.BLOCK_SIZE, total.valueOrNull)
            assertEquals(400L * ShadowStatFs.BLOCK_SIZE, available.valueOrNull)
        }
    }

    @Test
    fun `what Android keeps from apps says so`() {
        assertUnavailable(read(Group.CPU).cpu.utilisation, "from apps")
        assertUnavailable(read(Group.GPU).gpu.utilisation, "GPU")
    }

    @Test
    fun `only what is wanted is looked at`() = assertEquals(Readings(), AndroidProbe(app).read(emptySet()))

    @Test
    fun `a phone is called what its owner calls it, and its system never begins with a digit`() {
        ShadowBuild.setModel("Pixel 9")
        ShadowBuild.setId("BP2A.250605.031")
        assertEquals("Pixel 9", identityOf(app).name, "until the owner gives it a name")
        Settings.Global.putString(app.contentResolver, Settings.Global.DEVICE_NAME, "Ada's Pixel")
        with(AndroidProbe(app).identity()) {
            assertEquals("Ada's Pixel", name)
            assertEquals("Pixel 9", model)
            assertEquals("BP2A.250605.031", osBuild)
            assertTrue(Regex("Android \\S+").matches(osVersion), osVersion)
        }
    }

    @Test
    @Config(sdk = [34, 37])
    fun `from Android 12 on the chip and its maker are known`() {
        ShadowBuild.setSystemOnChipManufacturer("Google")
        ShadowBuild.setSystemOnChipModel("Tensor G4")
        assertEquals("Google" to "Tensor G4", identityOf(app).run { vendor to chip })
    }

    @Test
    @Config(sdk = [26])
    fun `before, the board stands for the chip, and its maker is not guessed`() {
        ShadowBuild.setHardware("qcom")
        assertEquals("unknown" to "qcom", identityOf(app).run { vendor to chip })
    }

    private fun read(group: Group) = AndroidProbe(app).read(setOf(group))

    private fun hasMemory(
        total: Long,
        available: Long,
        isLow: Boolean,
    ) = shadowOf(system<ActivityManager>()).setMemoryInfo(
        ActivityManager.MemoryInfo().apply {
            totalMem = total
            availMem = available
            lowMemory = isLow
        },
    )

    private fun kindOn(vararg transports: Int): NetworkKind? {
        networkHas(*transports)
        return read(Group.NETWORK).network.kind.valueOrNull
    }

    private fun networkHas(
        vararg transports: Int,
        free: Boolean = false,
    ) {
        val capabilities = ShadowNetworkCapabilities.newInstance()
        transports.forEach { shadowOf(capabilities).addTransportType(it) }
        if (free) {
            shadowOf(capabilities).addCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED)
        } else {
            shadowOf(capabilities).removeCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED)
        }
        val networks = system<ConnectivityManager>()
        shadowOf(networks).setNetworkCapabilities(networks.activeNetwork, capabilities)
    }
}
