package dev.exo.mobile

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import java.util.concurrent.ConcurrentHashMap
import dev.exo.mobile.core.Answer as CoreAnswer
import dev.exo.mobile.core.Model as CoreModel

/**
 * A model that is loaded: see [ModelHost.load]. [close] lets go of it; so does closing its [ModelHost].
 *
 * It may be used from any thread, and asked several things at once.
 */
public class Model internal constructor(
    private val core: CoreModel,
    // Who has a model may let go of its host, and a host that nobody holds is closed, with all of its models.
    @Suppress("unused") private val host: ModelHost,
) : AutoCloseable {
    private val answers = ConcurrentHashMap.newKeySet<CoreAnswer>()

    @Volatile
    private var isClosed = false

    /** What it is called. */
    public val id: String = calling { core.id() }

    /** Bytes that it uses. */
    public val memory: Long = calling { core.memory() }.asLong()

    /** Positions of all its conversations together. */
    public val context: Int = calling { core.context() }.asInt()

    /**
     * The answer as it is made; the last piece is an [AnswerPiece.End]. Who stops collecting stops the computing too, within one
     * token. Each collector asks anew.
     *
     * The flow throws an [ExoException] of the kind `INVALID_ARGUMENT` if the model cannot be asked that, `CLOSED` if the model
     * or its host is closed before the answer has ended.
     */
    public fun ask(question: Question): Flow<AnswerPiece> =
        flow {
            var isWhole = false
            pulled({ begin(question) }, CoreAnswer::next, { end(this) }) { it.toAnswerPiece() }.collect {
                isWhole = it is AnswerPiece.End
                emit(it)
            }
            if (!isWhole) {
                throw ExoException(
                    ErrorKind.CLOSED,
                    "the model was closed before its answer ended; load it and ask again",
                )
            }
        }

    /** The whole text of an answer, without its thoughts. Cancelled meanwhile, not a token more is computed. */
    public suspend fun answer(question: Question): String {
        val text = StringBuilder()
        ask(question).collect { if (it is AnswerPiece.Text && !it.isThinking) text.append(it.text) }
        return text.toString()
    }

    /**
     * Lets go of the model: its answers end, and its memory is given back unless others have it loaded. Once or again, from any
     * thread, before or after its [ModelHost] was closed.
     */
    override fun close() {
        isClosed = true
        core.ended { shut() }
        // The core tells its answers `CLOSED` after the step that is being computed. Nobody needs to wait for that.
        answers.forEach(::end)
    }

    private fun begin(question: Question): CoreAnswer {
        val answer = core.ask(question.toCore())
        answers += answer
        // Whoever closed the model meanwhile may have looked too early.
        if (isClosed) end(answer)
        return answer
    }

    private fun end(answer: CoreAnswer) {
        answers -= answer
        answer.ended { cancel() }
    }
}
