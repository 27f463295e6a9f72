package dev.exo.mobile

import kotlinx.validation.api.dump
import kotlinx.validation.api.filterOutNonPublic
import kotlinx.validation.api.loadApiFromJvmClasses
import java.io.File
import kotlin.test.Test
import kotlin.test.assertEquals

/** The public interface is the one that `kotlin/api/exo-mobile.api` holds. */
class ApiTest {
    @Test
    fun `the public interface is the one that was agreed on`() {
        val agreed = root.resolve("kotlin/api/exo-mobile.api")
        val now = (listOf(names().joinToString("\n")) + classes()).joinToString("\n\n", postfix = "\n")
        if (System.getProperty("exo.api") == "write") agreed.writeText(now)
        assertEquals(agreed.readText(), now, "the public interface changed; if that is wanted, run: scripts/lib/kotlin-update")
    }

    /** Other names of generated classes, which no class file has. */
    private fun names(): List<String> {
        val sources = root.resolve("kotlin/common/src/main/kotlin").walk().filter { it.extension == "kt" }
        return sources
            .flatMap { it.readLines() }
            .filter { it.startsWith("public typealias") }
            .sorted()
            .toList()
    }

    /** Our own classes, those of the generated package that have such a name, and those that they speak of. */
    private fun classes(): List<String> {
        val generated = classesBeside(About::class.java)
        val found = classesBeside(Exo::class.java).filterKeys { !it.startsWith(CORE) }.toMutableMap()
        val unread = ArrayDeque(names())
        while (unread.isNotEmpty()) {
            val spokenOf = NAME.findAll(unread.removeFirst().replace('.', '/')).map { it.value }
            for (name in spokenOf.filterNot(found::containsKey)) {
                found[name] = generated[name]?.also(unread::add) ?: continue
            }
        }
        return found.toSortedMap().values.toList()
    }

    /** What is printed of each public class, by its name. */
    private fun classesBeside(known: Class<*>): Map<String, String> {
        val place =
            File(
                known.protectionDomain.codeSource.location
                    .toURI(),
            )
        val files = place.walk().filter { it.extension == "class" }
        val classes = files.map { it.inputStream() }.loadApiFromJvmClasses().filterOutNonPublic()
        val texts = classes.map { listOf(it).dump(StringBuilder()).trim().toString() }
        // The first of our names in it is its own.
        return texts.associateBy { OWN_NAME.find(it)?.value.orEmpty() }
    }

    private companion object {
        const val CORE = "dev/exo/mobile/core/"
        val NAME = Regex("""dev/exo/mobile/core/[\w$]+""")
        val OWN_NAME = Regex("""dev/exo/mobile/[\w$/]+""")
    }
}
