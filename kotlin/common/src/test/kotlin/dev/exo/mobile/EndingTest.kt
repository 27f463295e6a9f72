package dev.exo.mobile

import kotlinx.coroutines.DelicateCoroutinesApi
import kotlinx.coroutines.GlobalScope
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlin.system.exitProcess
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals

/** Programs that end as programs do: without closing anything, in the middle of everything. */
class EndingTest {
    @Test
    fun `a program that returns from main ends well`() = ends("return", code = 0)

    @Test
    fun `a program that exits ends with its own code`() = ends("exit", code = 3)

    @Test
    fun `a program that fails ends with its own exception`() = ends("fail", code = 1, saying = "provoked")

    private fun ends(
        how: String,
        code: Int,
        saying: String = "",
    ) = Peer().use { peer ->
        repeat(3) {
            val arguments = arrayOf(how, peer.namespace, "${peer.discoveryPort}")
            val ended = runToItsEnd(java(Unclosed::class.java.name, *arguments))
            assertEquals(code, ended.code, ended.said)
            assertContains(ended.said, saying)
            if (saying.isEmpty()) assertEquals("", ended.said, "nothing to complain of")
        }
        assertEquals(true, peer.isAlive)
    }
}

/** Joins the peer, opens a device, listens and is listened to, and ends without a word to any of them. */
object Unclosed {
    @OptIn(DelicateCoroutinesApi::class)
    @JvmStatic
    fun main(arguments: Array<String>) {
        val (how, namespace, port) = arguments
        val options = JoinOptions(namespace = namespace, only = setOf(Provider.LOOPBACK), discoveryPort = port.toInt())
        val node = ExoNode.join(options, Platform(probe = Restless, log = { _, _, _ -> Thread.sleep(1) }))
        val buffer = runBlocking { openCpu() }.allocate(16)
        GlobalScope.launch { node.troubles.collect { } }
        GlobalScope.launch { node.conditions.collect { buffer.write(byteArrayOf(1)) } }
        runBlocking { node.states.first { it is NodeState.Joined } }
        when (how) {
            "exit" -> exitProcess(3)
            "fail" -> error("provoked")
        }
    }

    /** Is being asked all the time. */
    private object Restless : Probe {
        override fun identity() = Identity("phone", "phone", "chip", "Linux", "1", "nobody", DeviceType.MOBILE_ANDROID)

        override fun read(wanted: Set<Group>) = Readings(cpu = CpuReadings(load = Reading.Measured(Math.random())))
    }
}
