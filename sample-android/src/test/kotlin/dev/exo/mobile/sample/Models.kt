package dev.exo.mobile.sample

import java.io.File

/** The tiny model that the tests of all languages load: its weights are random, and it talks nonsense. */
object Models {
    const val TINY = "exo-mobile/tiny-random"

    private val source =
        File(checkNotNull(System.getenv("EXO_TINY_MODELS")) { "EXO_TINY_MODELS is not set: scripts/lib/native.sh does that" })

    /** What it is made of. */
    fun files(): List<File> =
        source
            .resolve(TINY.replace("/", "--"))
            .listFiles()
            .orEmpty()
            .sorted()

    /** Puts it into [directory], under this name. */
    fun put(
        directory: File,
        name: String = TINY,
    ) {
        source.resolve(TINY.replace("/", "--")).copyRecursively(directory.resolve(name.replace("/", "--")), overwrite = true)
    }
}
