package dev.exo.mobile

import kotlinx.coroutines.runBlocking
import java.io.File

// A model of three layers whose weights are random: it is loaded and computed like any other, and talks nonsense.

/** What it is called. */
const val TINY = "exo-mobile/tiny-random"

/** The directory that it lies in. */
val tinyModels: File =
    File(checkNotNull(System.getenv("EXO_TINY_MODELS")) { "EXO_TINY_MODELS is not set: scripts/lib/native.sh does that" })

/** What every exo has a card of. It asks Hugging Face for any other, so the tiny one goes by this name in a cluster. */
const val KNOWN = "mlx-community/Model-000-8bit"

/** The tiny model in [shelf], by a name that exo knows; its folder. */
fun knownToExo(shelf: File): File =
    shelf.resolve(KNOWN.replace("/", "--")).also { tinyModels.resolve(TINY.replace("/", "--")).copyRecursively(it) }

/** A host of models on the CPU backend, which every machine has. */
fun openHost(
    directory: File = tinyModels,
    memoryCap: Long? = null,
): ModelHost =
    runBlocking {
        ModelHost.open(ModelHostOptions(directory, GpuOptions(BackendKind.CPU, memoryCap = memoryCap), 2048))
    }

/** The same question has the same answer each time. */
fun question(
    tokens: Int,
    text: String = "What is rain?",
) = Question(text).copy(maxTokens = tokens, temperature = 0.0)
