package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.toKotlinDuration
import dev.exo.mobile.core.AnswerEnd as CoreEnd
import dev.exo.mobile.core.AnswerPiece as CorePiece

/** A piece of an answer: see [Model.ask]. */
public sealed interface AnswerPiece {
    /**
     * More of the conversation was read.
     *
     * @property done Tokens that were.
     * @property total All of them.
     */
    public data class Reading(
        public val done: Int,
        public val total: Int,
    ) : AnswerPiece

    /**
     * Something to append.
     *
     * @property text What.
     * @property isThinking Whether it is a thought.
     */
    public data class Text(
        public val text: String,
        public val isThinking: Boolean,
    ) : AnswerPiece

    /**
     * The end. Nothing follows.
     *
     * @property end What it took.
     */
    public data class End(
        public val end: AnswerEnd,
    ) : AnswerPiece
}

/**
 * The end of an answer, and what it took.
 *
 * @property finish Why.
 * @property promptTokens Tokens of the conversation that was asked.
 * @property cachedTokens How many of them were known from an earlier question.
 * @property completionTokens Tokens of the answer, thoughts included.
 * @property thinkingTokens Those of them that were thoughts.
 * @property firstAfter From the question to the first token.
 * @property took From the question to the end.
 */
public data class AnswerEnd(
    public val finish: Finish,
    public val promptTokens: Int,
    public val cachedTokens: Int,
    public val completionTokens: Int,
    public val thinkingTokens: Int,
    public val firstAfter: Duration,
    public val took: Duration,
)

internal fun CorePiece.toAnswerPiece(): AnswerPiece =
    when (this) {
        is CorePiece.Reading -> AnswerPiece.Reading(done.asInt(), total.asInt())
        is CorePiece.Text -> AnswerPiece.Text(text, isThinking)
        is CorePiece.End -> AnswerPiece.End(end.toAnswerEnd())
    }

private fun CoreEnd.toAnswerEnd() =
    AnswerEnd(
        finish,
        promptTokens.asInt(),
        cachedTokens.asInt(),
        completionTokens.asInt(),
        thinkingTokens.asInt(),
        firstAfter.toKotlinDuration(),
        took.toKotlinDuration(),
    )
