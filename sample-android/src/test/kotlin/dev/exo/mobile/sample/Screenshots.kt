package dev.exo.mobile.sample

import android.graphics.Bitmap
import android.graphics.BitmapFactory
import java.io.File
import kotlin.math.abs
import kotlin.test.assertTrue

/** The pictures of docs/screenshots/android. With `-Dexo.screenshots=write` they are made anew, else compared. */
object Screenshots {
    private val root = File(System.getProperty("exo.root")).canonicalFile
    private val kept = root.resolve("docs/screenshots/android")
    private val failed = root.resolve("target/sample-android/screenshots")
    private val isWriting = System.getProperty("exo.screenshots") == "write"

    /**
     * [tolerance] is the part of the picture that may differ. It is above nothing because letters are drawn a little differently
     * by each machine, and larger where a picture shows figures that are measured.
     */
    fun check(
        name: String,
        picture: Bitmap,
        tolerance: Double = 0.0005,
    ) {
        if (isWriting) return save(picture, kept.resolve("$name.png"))
        val file = kept.resolve("$name.png")
        assertTrue(file.exists(), "$file is missing: ./scripts/screenshots makes it")
        val differs = difference(BitmapFactory.decodeFile(file.path), picture)
        if (differs <= tolerance) return
        val now = failed.resolve("$name.png")
        save(picture, now)
        throw AssertionError(
            "$name differs from $file in ${"%.3f".format(differs * 100)} % of its pixels, ${tolerance * 100} % may. " +
                "Look at $now; if it is right, run ./scripts/screenshots",
        )
    }

    /** The part of the pixels that an eye could tell apart. */
    fun difference(
        one: Bitmap,
        other: Bitmap,
    ): Double {
        if (one.width != other.width || one.height != other.height) return 1.0
        val pixels = listOf(one, other).map { bitmap -> IntArray(one.width * one.height).also { bitmap.read(it) } }
        val different = pixels[0].indices.count { pixels[0][it].isFarFrom(pixels[1][it]) }
        return different.toDouble() / pixels[0].size
    }

    private fun Bitmap.read(into: IntArray) = getPixels(into, 0, width, 0, 0, width, height)

    private fun Int.isFarFrom(other: Int) =
        listOf(0, 8, 16, 24).any { shift -> abs((this ushr shift and 0xFF) - (other ushr shift and 0xFF)) > VISIBLE }

    private fun save(
        picture: Bitmap,
        file: File,
    ) {
        file.parentFile?.mkdirs()
        file.outputStream().use { picture.compress(Bitmap.CompressFormat.PNG, 100, it) }
    }

    private const val VISIBLE = 24
}
