package dev.exo.mobile.android

import kotlinx.validation.api.dump
import kotlinx.validation.api.filterOutNonPublic
import kotlinx.validation.api.loadApiFromJvmClasses
import org.junit.Test
import java.io.File
import kotlin.test.assertEquals

/** The public interface is the one that `kotlin/api/exo-mobile-android.api` holds. */
class ApiTest {
    @Test
    fun `the public interface is the one that was agreed on`() {
        val agreed = File(System.getProperty("exo.root"), "kotlin/api/exo-mobile-android.api")
        val now = written()
        if (System.getProperty("exo.api") == "write") agreed.writeText(now)
        assertEquals(agreed.readText(), now, "the public interface changed; if that is wanted, run: scripts/lib/kotlin-update")
    }

    private fun written(): String {
        val place = AndroidPlatform::class.java.protectionDomain.codeSource.location
        val files = File(place.toURI()).walk().filter { it.extension == "class" }
        val classes = files.map { it.inputStream() }.loadApiFromJvmClasses().filterOutNonPublic()
        return classes.dump(StringBuilder()).toString()
    }
}
