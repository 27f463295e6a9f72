package dev.exo.mobile

import kotlin.test.Test
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertTrue

class ExoTest {
    @Test
    fun `the library says what it is`() {
        val about = Exo.about()
        assertTrue(about.version.matches(Regex("""\d+\.\d+\.\d+""")), about.version)
        assertContains(about.backends, "cpu")
        assertTrue(about.exoBuilds.isNotEmpty())
    }

    @Test
    fun `a fault inside the library is an exception and the library lives on`() {
        val fault = failsAs(ErrorKind.FAULT) { Exo.provokeFault() }
        assertContains(fault.message, "a fault was provoked")
        assertFalse(fault.isRetryable)
        assertTrue(Exo.about().version.isNotEmpty())
    }

    @Test
    fun `a link is shown before it is used`() {
        val link = Exo.readLink("exo://192.168.1.7?ns=home")
        assertEquals(LinkPreview("exo://192.168.1.7?ns=home", "192.168.1.7", 52_414, "home", link.api), link)
    }

    @Test
    fun `a bad link says what to write`() {
        assertContains(failsAs(ErrorKind.INVALID_ARGUMENT) { Exo.readLink("http://example.org") }.message, "exo://")
    }

    @Test
    fun `a placement problem that cannot be read is an argument to change`() {
        failsAs(ErrorKind.INVALID_ARGUMENT) { Exo.place("not JSON") }
    }

    @Test
    fun `a missing permission can be told from the rest`() {
        assertTrue(ExoException(ErrorKind.NOT_PERMITTED, "no").isPermission)
        assertFalse(ExoException(ErrorKind.UNREACHABLE, "no").isPermission)
        assertTrue(ExoException(ErrorKind.UNREACHABLE, "no").isRetryable)
    }
}
