package dev.exo.mobile.android

import android.net.nsd.NsdManager
import android.net.nsd.NsdServiceInfo
import android.os.Build
import dev.exo.mobile.Advertisement
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.Service
import org.junit.Before
import org.junit.Test
import org.junit.runner.RunWith
import org.robolectric.RobolectricTestRunner
import org.robolectric.annotation.Config
import org.robolectric.shadow.api.Shadow
import org.robolectric.shadows.ShadowNsdManager
import java.net.Inet6Address
import java.net.InetAddress
import java.time.Duration
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFailsWith
import kotlin.test.assertNotNull
import kotlin.test.assertNull

/** DNS-SD by Android's daemon, which the test plays. */
@RunWith(RobolectricTestRunner::class)
class NsdDiscoveryTest {
    private val daemon: ShadowNsdManager = Shadow.extract(system<NsdManager>())
    private val discovery = NsdDiscovery(app)
    private val resolved = mutableListOf<Service>()
    private val failures = mutableListOf<Pair<String, Boolean>>()

    @Before
    fun allowed() = allow(LocalNetworkPermission.NAME)

    @Test
    fun `a service that is found is resolved, with its address, port and TXT record`() {
        browse()
        finds("mac")
        resolves("mac", port = 52415, "192.168.1.7", txt = mapOf("ns" to "home", "flag" to ""))
        assertEquals(Service("mac", listOf("192.168.1.7"), 52415, mapOf("ns" to "home", "flag" to "")), resolved.single())
    }

    @Test
    @Config(sdk = [34, 37])
    fun `from Android 14 on all addresses are known, and the interface of a link-local one`() {
        browse()
        finds("mac")
        val linkLocal =
            Inet6Address.getByAddress(
                null,
                ByteArray(16).also {
                    it[0] = -2
                    it[1] = -128
                    it[15] = 1
                },
                3,
            )
        daemon.getServiceInfoCallbacks(service("mac"))!!.single().onServiceUpdated(
            service("mac").apply {
                port = 1
                hostAddresses = listOf(InetAddress.getByName("10.0.0.1"), linkLocal)
            },
        )
        assertEquals(listOf("10.0.0.1", "fe80:0:0:0:0:0:0:1"), resolved.single().addresses)
        assertEquals(3, resolved.single().interfaceIndex)
    }

    @Test
    @Config(sdk = [34, 37])
    fun `from Android 14 on each service is followed until it is lost`() {
        browse()
        finds("mac")
        finds("mac")
        finds("pi")
        resolves("mac", port = 1, "10.0.0.1")
        resolves("mac", port = 2, "10.0.0.1")
        assertEquals(listOf(1, 2), resolved.map { it.port })
        loses("mac")
        assertEquals(emptyList(), daemon.getServiceInfoCallbacks(service("mac")).orEmpty())
        assertEquals(1, daemon.getServiceInfoCallbacks(service("pi")).orEmpty().size)
        discovery.stopBrowsing()
        assertEquals(emptyList(), daemon.getServiceInfoCallbacks(service("pi")).orEmpty())
    }

    @Test
    @Config(sdk = [26])
    fun `before Android 14 services are resolved one after the other`() {
        browse()
        listOf("mac", "pi", "tv").forEach(::finds)
        loses("tv")
        assertEquals(listOf(true, false, false), listOf("mac", "pi", "tv").map(::isBeingResolved))
        resolves("mac", port = 1, "10.0.0.1")
        assertEquals(true, isBeingResolved("pi"))
        resolves("pi", port = 2, "10.0.0.2")
        assertEquals(listOf("mac", "pi"), resolved.map { it.name })
        assertEquals(false, isBeingResolved("tv"), "it was lost while it waited")
    }

    @Test
    @Config(sdk = [26])
    fun `a daemon that is busy is asked again, and one service that cannot be resolved does not hold up the next`() {
        browse()
        finds("mac")
        finds("pi")
        repeat(Retries.MOST) { tries ->
            resolving("mac").last().onResolveFailed(service("mac"), NsdManager.FAILURE_ALREADY_ACTIVE)
            mainThread(Duration.ofSeconds(2))
            assertEquals(tries + 2, resolving("mac").size)
        }
        resolving("mac").last().onResolveFailed(service("mac"), NsdManager.FAILURE_ALREADY_ACTIVE)
        assertEquals(true, isBeingResolved("pi"))
        assertEquals(emptyList(), failures)
    }

    @Test
    fun `a search that the daemon is too busy to begin begins a little later`() {
        browse()
        browsing().onStartDiscoveryFailed(TYPE, NsdManager.FAILURE_ALREADY_ACTIVE)
        assertEquals(1, daemon.getDiscoveryListeners(TYPE)!!.size)
        mainThread(Duration.ofSeconds(1))
        assertEquals(2, daemon.getDiscoveryListeners(TYPE)!!.size)
        assertEquals(emptyList(), failures)
    }

    @Test
    fun `a search that cannot begin says why, and whether it is a matter of permission`() {
        browse()
        browsing().onStartDiscoveryFailed(TYPE, NsdManager.FAILURE_INTERNAL_ERROR)
        assertEquals("Android's DNS-SD daemon failed" to false, failures.single())
        browse()
        browsing().onStartDiscoveryFailed(TYPE, NSD_PERMISSION_DENIED)
        assertEquals(true, failures.last().second)
        assertContains(failures.last().first, "until its owner allows it")
    }

    @Test
    fun `after the stop nothing is heard, and stopping twice is no error`() {
        browse()
        val listener = browsing()
        finds("mac")
        discovery.stopBrowsing()
        discovery.stopBrowsing()
        assertNull(daemon.getDiscoveryListenerServiceType(listener))
        listener.onServiceFound(service("pi"))
        listener.onStartDiscoveryFailed(TYPE, NsdManager.FAILURE_INTERNAL_ERROR)
        assertEquals(emptyList(), failures)
        assertEquals(false, isBeingResolved("pi"))
    }

    @Test
    fun `one thing is advertised at a time, with its TXT record`() {
        discovery.advertise(Advertisement(TYPE, "one", 4001, mapOf("ns" to "home")))
        discovery.advertise(Advertisement(TYPE, "two", 4002, emptyMap()))
        assertNull(daemon.getRegistrationListener(service("one")))
        val listener = assertNotNull(daemon.getRegistrationListener(service("two")))
        assertEquals(4002, daemon.getRegisteredServiceInfo(listener)!!.port)
        discovery.withdraw()
        discovery.withdraw()
        assertNull(daemon.getRegistrationListener(service("two")))
    }

    @Test
    fun `a TXT record is kept to the letter`() {
        discovery.advertise(Advertisement(TYPE, "one", 4001, mapOf("ns" to "zu Hause", "v" to "1")))
        val advertised = daemon.getRegisteredServiceInfo(daemon.getRegistrationListener(service("one"))!!)!!
        assertEquals(mapOf("ns" to "zu Hause", "v" to "1"), advertised.attributes.mapValues { it.value.decodeToString() })
    }

    @Test
    fun `a TXT entry that DNS-SD cannot carry is refused by name`() {
        val long = mapOf("key" to "x".repeat(300))
        val refused = assertFailsWith<ExoException> { discovery.advertise(Advertisement(TYPE, "one", 1, long)) }
        assertEquals(ErrorKind.INVALID_ARGUMENT, refused.kind)
        assertContains(refused.message, "key")
    }

    @Test
    fun `an advertisement that the daemon is too busy for is tried again`() {
        discovery.advertise(Advertisement(TYPE, "one", 4001, emptyMap()))
        val first = daemon.getRegistrationListener(service("one"))!!
        first.onRegistrationFailed(service("one"), NsdManager.FAILURE_ALREADY_ACTIVE)
        mainThread(Duration.ofSeconds(1))
        assertEquals(false, first === daemon.getRegistrationListener(service("one")))
    }

    private fun browse() = discovery.browse(TYPE, resolved::add) { why, permission -> failures += why to permission }

    private fun browsing() = daemon.getDiscoveryListeners(TYPE)!!.last()

    private fun finds(name: String) = browsing().onServiceFound(service(name))

    private fun loses(name: String) = browsing().onServiceLost(service(name))

    private fun resolving(name: String) = daemon.getResolveListeners(service(name)).orEmpty()

    private fun isBeingResolved(name: String) =
        resolving(name).isNotEmpty() ||
            (isFollowing && daemon.getServiceInfoCallbacks(service(name)).orEmpty().isNotEmpty())

    private fun resolves(
        name: String,
        port: Int,
        address: String,
        txt: Map<String, String> = emptyMap(),
    ) {
        val service = service(name)
        service.port = port
        txt.forEach(service::setAttribute)
        if (isFollowing) {
            service.hostAddresses = listOf(InetAddress.getByName(address))
            daemon.getServiceInfoCallbacks(service)!!.single().onServiceUpdated(service)
        } else {
            @Suppress("DEPRECATION")
            service.host = InetAddress.getByName(address)
            resolving(name).last().onServiceResolved(service)
        }
    }

    private val isFollowing get() = Build.VERSION.SDK_INT >= Build.VERSION_CODES.UPSIDE_DOWN_CAKE

    private fun service(name: String) =
        NsdServiceInfo().apply {
            serviceName = name
            serviceType = TYPE
        }

    private companion object {
        const val TYPE = "_exo._tcp"
    }
}
