package dev.exo.mobile.sample.chat

import dev.exo.mobile.AnswerEnd
import dev.exo.mobile.AnswerPiece
import dev.exo.mobile.ChatMessage
import dev.exo.mobile.ExoException
import dev.exo.mobile.Model
import dev.exo.mobile.Question
import dev.exo.mobile.Role
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.flow.MutableStateFlow
import kotlinx.coroutines.flow.StateFlow
import kotlinx.coroutines.flow.asStateFlow
import kotlinx.coroutines.flow.update
import kotlinx.coroutines.launch

/**
 * One thing that was said.
 *
 * @property thoughts What the model thought before it.
 * @property end What an answer took, once it is whole.
 * @property isStopped Whether its owner had heard enough.
 */
data class Said(
    val role: Role,
    val text: String,
    val thoughts: String = "",
    val end: AnswerEnd? = null,
    val isStopped: Boolean = false,
)

/** What the phone does for the next answer. */
sealed interface Doing {
    data class Loading(
        val layers: Int,
        val of: Int,
    ) : Doing

    data class Reading(
        val done: Int,
        val total: Int,
    ) : Doing

    data object Answering : Doing
}

/**
 * A conversation.
 *
 * @property model Whom it is with; the first that can be loaded if nobody chose.
 * @property fault Why the last question has no answer.
 */
data class Talk(
    val model: String? = null,
    val said: List<Said> = emptyList(),
    val doing: Doing? = null,
    val fault: String? = null,
)

/** Talks with a model of the [shelf]. All of it happens in [scope], which has one thread; [asking] says how an answer is made. */
class Chat(
    private val shelf: ModelShelf,
    private val scope: CoroutineScope,
    private val asking: Question,
) {
    private val all = MutableStateFlow(Talk())
    private var model: Model? = null
    private var answering: Job? = null

    /** Somebody wanted the model's memory back while it answered. */
    private var isUnwanted = false

    val talk: StateFlow<Talk> = all.asStateFlow()

    /** Whom the next question is for. */
    val chosen: String? get() =
        all.value.model ?: shelf.seen.value.models
            ?.firstOrNull { it.refusal == null }
            ?.id

    /** Talks with another model from now on. The conversation goes on. */
    fun choose(id: String) {
        if (id == chosen) return
        stop()
        letGo()
        all.update { it.copy(model = id) }
    }

    /** Asks. False if there is nothing to ask, nobody to be asked, or an answer under way. */
    fun send(text: String): Boolean {
        val id = chosen
        if (text.isBlank() || id == null || all.value.doing != null) return false
        all.update { it.copy(said = it.said + Said(Role.USER, text.trim()), doing = Doing.Reading(0, 0), fault = null) }
        answering = scope.launch { answer(id) }
        return true
    }

    /** The owner has heard enough: not a token more is computed. */
    fun stop() {
        answering?.cancel()
        answering = null
        all.update { talk ->
            if (talk.doing == null) return@update talk
            val last = talk.said.last()
            val said = if (last.role == Role.ASSISTANT) talk.said.dropLast(1) + last.copy(isStopped = true) else talk.said
            talk.copy(said = said, doing = null)
        }
        if (isUnwanted) letGo()
    }

    /** Gives the model's memory back, as soon as no answer is under way. The next question loads it again. */
    fun letGo() {
        isUnwanted = all.value.doing != null
        if (isUnwanted) return
        model?.close()
        model = null
    }

    private suspend fun answer(id: String) {
        try {
            val model = loaded(id)
            val question = asking.copy(messages = all.value.said.withoutUnanswered())
            model?.ask(question)?.collect(::hear)
            all.update { it.copy(doing = null, fault = it.fault ?: shelf.seen.value.fault) }
        } catch (stopped: CancellationException) {
            throw stopped // Whoever stopped it has said so.
        } catch (fault: ExoException) {
            model?.close()
            model = null
            all.update { it.copy(doing = null, fault = fault.message) }
        }
        if (isUnwanted) letGo()
    }

    private suspend fun loaded(id: String): Model? {
        model?.let { return it }
        val host = shelf.opened() ?: return null
        return host.load(id) { all.update { talk -> talk.copy(doing = Doing.Loading(it.layers, it.of)) } }.also { model = it }
    }

    private fun hear(piece: AnswerPiece) =
        when (piece) {
            is AnswerPiece.Reading -> {
                all.update { it.copy(doing = Doing.Reading(piece.done, piece.total)) }
            }

            is AnswerPiece.Text -> {
                answered {
                    if (piece.isThinking) {
                        copy(thoughts = thoughts + piece.text)
                    } else {
                        copy(
                            text =
                                text + piece.text,
                        )
                    }
                }
            }

            is AnswerPiece.End -> {
                answered { copy(end = piece.end) }
            }
        }

    /** Changes the answer, or begins one. */
    private fun answered(change: Said.() -> Said) =
        all.update { talk ->
            val last = talk.said.last()
            val (before, answer) =
                if (last.role == Role.ASSISTANT) talk.said.dropLast(1) to last else talk.said to Said(Role.ASSISTANT, "")
            talk.copy(said = before + answer.change(), doing = Doing.Answering)
        }
}

/** Who was not answered has asked nothing: models are used to a reply after each question. */
private fun List<Said>.withoutUnanswered() =
    filterIndexed { index, said -> said.role != Role.USER || getOrNull(index + 1)?.role != Role.USER }
        .map { ChatMessage(it.role, it.text) }
