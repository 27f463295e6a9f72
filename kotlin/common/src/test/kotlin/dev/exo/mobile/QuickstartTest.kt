package dev.exo.mobile

import org.junit.jupiter.api.io.TempDir
import java.io.File
import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** What the READMEs show is a program that runs. */
class QuickstartTest {
    private val code = root.resolve("kotlin/common/src/test/kotlin/Quickstart.kt").readText()

    @Test
    fun `the quickstart meets a cluster as it is written`(
        @TempDir directory: File,
    ) {
        // It searches in every way, so it gets a network of its own, with nobody there but the peer.
        val beside = listOf("$root/tests/peer/beside", "$directory/peer.jsonl")
        val ended = runToItsEnd(beside + java("QuickstartKt"), "PEER_PYTHON" to peerPython)
        assertEquals(0, ended.code, ended.said)
        assertContains(ended.said, Regex("mac has \\d+ bytes"))
    }

    @Test
    fun `the READMEs show that very program, in at most ten lines`() {
        for (readme in listOf("README.md", "kotlin/README.md")) {
            assertContains(root.resolve(readme).readText(), "```kotlin\n$code```", message = readme)
        }
        assertTrue(code.lines().size - 1 <= 10)
    }
}
