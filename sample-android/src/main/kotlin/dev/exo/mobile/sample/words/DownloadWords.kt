package dev.exo.mobile.sample.words

import dev.exo.mobile.ErrorKind
import dev.exo.mobile.sample.chat.Download
import dev.exo.mobile.sample.chat.Fetching

/** What the chat says while there is no model: how to get one, how far it is, or why it did not come. */
fun fetchingCard(fetching: Fetching): Card.Standing =
    when (fetching) {
        Fetching.Idle -> Card.Standing(Tone.CALM, "No model yet", OFFER, action = Action.GET_MODEL)
        is Fetching.Coming -> coming(fetching)
        is Fetching.Stopped -> stopped(fetching)
        is Fetching.Failed -> failed(fetching)
    }

private val OFFER =
    "Get ${modelName(Download.SMALL)} from Hugging Face. It is checked before it is used. Use Wi-Fi: models are large. " +
        "Or put one of your own into this app's folder no_backup/models, as exo names it."

private fun coming(fetching: Fetching.Coming): Card.Standing {
    val progress = fetching.progress?.takeIf { it.total > 0 }
    val far =
        progress?.run { "${bytes(done)} of ${bytes(total)}, ${bytes(speed.toLong())} a second." }
            ?: "Asking which files it has."
    return Card.Standing(
        Tone.CALM,
        "Getting ${modelName(fetching.model)}",
        far,
        isBusy = true,
        action = Action.STOP_GETTING,
    )
}

private fun stopped(fetching: Fetching.Stopped) =
    Card.Standing(
        Tone.CALM,
        "${modelName(fetching.model)} was stopped",
        "What came stays, and goes on from there.",
        action = Action.GET_MODEL,
    )

private fun failed(fetching: Fetching.Failed) =
    Card.Standing(
        Tone.BAD,
        "${modelName(fetching.model)} did not come",
        sentence(whatHelps(fetching)),
        action = Action.GET_MODEL,
    )

/** What the owner can do, where the library cannot know it. */
private fun whatHelps(failed: Fetching.Failed) =
    when (failed.kind) {
        ErrorKind.UNREACHABLE -> "nobody answers. Look whether this phone is online; what came stays"
        ErrorKind.NOT_PERMITTED -> "this model is not for everybody, and this sample has no token for it"
        else -> failed.reason
    }
