package dev.exo.mobile

import dev.exo.mobile.core.Question as CoreQuestion

/**
 * A conversation that a model shall continue. What is left out, the model's own files say.
 *
 * @property messages The conversation so far.
 * @property maxTokens How many tokens the answer may have.
 * @property temperature 0 takes the likeliest token each time; higher is more varied.
 * @property topP Only the likeliest tokens that have this probability together.
 * @property topK Only so many of the likeliest tokens.
 * @property minP Only tokens that are at least this part as likely as the likeliest.
 * @property seed The same seed gives the same answer on the same device.
 * @property stop Texts before which the answer ends.
 * @property thinking Whether the model shall think first, where it can.
 */
public data class Question(
    public val messages: List<ChatMessage>,
    public val maxTokens: Int? = null,
    public val temperature: Double? = null,
    public val topP: Double? = null,
    public val topK: Int? = null,
    public val minP: Double? = null,
    public val seed: Long? = null,
    public val stop: List<String> = emptyList(),
    public val thinking: Boolean? = null,
) {
    /** One message of whoever uses the app. */
    public constructor(text: String) : this(listOf(ChatMessage(Role.USER, text)))
}

internal fun Question.toCore() =
    CoreQuestion(
        messages,
        maxTokens?.unsigned("maxTokens"),
        temperature?.toFloat(),
        topP?.toFloat(),
        topK?.unsigned("topK"),
        minP?.toFloat(),
        seed,
        stop,
        thinking,
    )
