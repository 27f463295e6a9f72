package dev.exo.mobile.sample.words

import dev.exo.mobile.AnswerEnd
import dev.exo.mobile.Finish
import dev.exo.mobile.Role
import dev.exo.mobile.sample.chat.Doing
import dev.exo.mobile.sample.chat.Fetching
import dev.exo.mobile.sample.chat.Said
import dev.exo.mobile.sample.chat.Shelf
import dev.exo.mobile.sample.chat.Talk
import java.util.Locale
import kotlin.time.Duration
import kotlin.time.DurationUnit

/**
 * The screen *Chat*.
 *
 * @property standing What is to be said before anybody can ask, or because something went wrong.
 * @property models Whom one can choose.
 * @property canAsk Whether there is somebody to ask.
 * @property isAnswering Whether an answer is under way, and can be stopped.
 */
data class ChatPage(
    val standing: Card.Standing?,
    val models: List<String>,
    val chosen: Int,
    val bubbles: List<Bubble>,
    val canAsk: Boolean,
    val isAnswering: Boolean,
)

/** One thing that was said, or is being said. */
data class Bubble(
    val isOwners: Boolean,
    val text: String,
    val note: String = "",
) {
    /** All of it, for who hears the screen. */
    val spoken: String get() = "${if (isOwners) "You" else "The model"}: $text"
}

fun chatPage(
    shelf: Shelf,
    talk: Talk,
    chosen: String?,
    fetching: Fetching,
): ChatPage {
    val usable =
        shelf.models
            .orEmpty()
            .filter { it.refusal == null }
            .map { it.id }
    val waiting = talk.doing?.takeIf { talk.said.lastOrNull()?.role == Role.USER }
    return ChatPage(
        standing = standing(shelf, talk, fetching, usable.isEmpty()),
        models = usable,
        chosen = usable.indexOf(chosen),
        bubbles = talk.said.map(::bubble) + listOfNotNull(waiting?.let { Bubble(false, inWords(it)) }),
        canAsk = usable.isNotEmpty(),
        isAnswering = talk.doing != null,
    )
}

/** What people call a model: its own name, without its maker's. */
fun modelName(id: String): String = id.substringAfter('/')

private fun standing(
    shelf: Shelf,
    talk: Talk,
    fetching: Fetching,
    isNoneUsable: Boolean,
): Card.Standing? {
    val models = shelf.models
    val fault = talk.fault ?: shelf.fault
    return when {
        fault != null -> {
            Card.Standing(Tone.BAD, "No answer", sentence(fault))
        }

        models == null -> {
            Card.Standing(
                Tone.CALM,
                "Looking for models",
                "The device that computes is being opened.",
                isBusy = true,
            )
        }

        models.isEmpty() -> {
            fetchingCard(fetching)
        }

        isNoneUsable -> {
            Card.Standing(
                Tone.WARN,
                "No model fits",
                models.joinToString("\n") {
                    "${modelName(it.id)}: ${sentence(it.refusal.orEmpty())}"
                },
            )
        }

        talk.said.isEmpty() -> {
            Card.Standing(
                Tone.GOOD,
                "Ask away",
                "What you write stays on this phone: its own model answers.",
            )
        }

        else -> {
            null
        }
    }
}

private fun bubble(said: Said) =
    when {
        said.role == Role.USER -> {
            Bubble(true, said.text)
        }

        said.text.isEmpty() && said.end == null && !said.isStopped -> {
            Bubble(false, "Thinking…")
        }

        else -> {
            Bubble(
                false,
                said.text.trim().ifEmpty {
                    "(nothing)"
                },
                if (said.isStopped) "Stopped" else said.end?.let(::took).orEmpty(),
            )
        }
    }

private fun inWords(doing: Doing) =
    when {
        doing is Doing.Loading -> "Loading, ${doing.layers} of ${counted(doing.of, "layer")}"
        doing is Doing.Reading && doing.total > 0 -> "Reading, ${doing.done} of ${counted(doing.total, "token")}"
        else -> "One moment"
    }

private fun took(end: AnswerEnd): String {
    val cut = if (end.finish == Finish.LENGTH) ", cut at its limit" else ""
    val speed = speed(end.completionTokens, end.took - end.firstAfter)?.let { ", $it tokens a second" }.orEmpty()
    return "${counted(end.completionTokens, "token")}$speed$cut"
}

/** The first token waits for all that was read, so it does not count. */
internal fun speed(
    tokens: Int,
    time: Duration,
): String? {
    if (tokens < 2 || !time.isPositive()) return null
    return String.format(Locale.UK, "%.1f", (tokens - 1) / time.toDouble(DurationUnit.SECONDS))
}
