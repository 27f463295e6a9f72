package dev.exo.mobile.android

import org.junit.Test
import java.io.File
import javax.xml.parsers.DocumentBuilderFactory
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertTrue

/** What the library asks of an app, and what it says about that. */
class ManifestTest {
    private val root = File(System.getProperty("exo.root"))
    private val manifest =
        DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(
            root.resolve("kotlin/android/$MANIFEST"),
        )
    private val words = root.resolve("docs/android-permissions.md").readText()
    private val permissions = named("uses-permission").map { it.substringAfterLast('.') }

    @Test
    fun `each permission is explained, and no other is`() {
        val explained = Regex("^\\| `([A-Z_]+)`", RegexOption.MULTILINE).findAll(words).map { it.groupValues[1] }.toSet()
        assertEquals(permissions.toSet(), explained)
    }

    @Test
    fun `nobody is asked where the phone is`() = assertTrue(permissions.none { "LOCATION" in it })

    @Test
    fun `the service is ours alone, and of the type that it says at run time`() {
        assertEquals(listOf(ExoNodeService::class.java.name), named("service"))
        val service = manifest.getElementsByTagName("service").item(0).attributes
        assertEquals("false", service.getNamedItem("android:exported").nodeValue)
        assertEquals("connectedDevice", service.getNamedItem("android:foregroundServiceType").nodeValue)
    }

    @Test
    fun `the rules for backups name the file of the identity`() = assertContains(words, "${PreferencesKeyStore.FILE}.xml")

    private fun named(tag: String) =
        manifest.getElementsByTagName(tag).let { all ->
            List(all.length) {
                all
                    .item(it)
                    .attributes
                    .getNamedItem("android:name")
                    .nodeValue
            }
        }

    private companion object {
        const val MANIFEST = "src/main/AndroidManifest.xml"
    }
}
