package dev.exo.mobile.sample.view

import android.content.Context
import android.text.InputType
import android.view.Gravity
import android.view.View
import android.view.inputmethod.EditorInfo
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.ScrollView
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Action
import dev.exo.mobile.sample.words.Bubble
import dev.exo.mobile.sample.words.ChatPage
import dev.exo.mobile.sample.words.modelName

/** What the owner does on the chat's screen: gets or chooses a model, asks (false if that cannot be now), and has heard enough. */
internal class ChatDeeds(
    val act: (Action) -> Unit,
    val choose: (String) -> Unit,
    val send: (String) -> Boolean,
    val stop: () -> Unit,
)

/** A conversation. [field] belongs below it, where it does not scroll. */
internal class ChatScreen(
    context: Context,
    private val deeds: ChatDeeds,
) : LinearLayout(context) {
    private val standing = CardList(context, deeds.act)
    private val with = context.text(R.dimen.text_small, R.color.ink_soft)
    private val models = context.column()
    private val bubbles = context.column()
    private val question = EditText(context)
    private val send = context.button(isQuiet = false)
    private var shown: ChatPage? = null

    /** Where one writes. */
    val field: View = context.row()

    init {
        orientation = VERTICAL
        add(with)
        add(models)
        add(standing, R.dimen.space_m)
        add(bubbles, R.dimen.space_xs)
        question.id = R.id.question
        question.hint = "Write to the model"
        question.inputType = InputType.TYPE_CLASS_TEXT or InputType.TYPE_TEXT_FLAG_CAP_SENTENCES
        question.imeOptions = EditorInfo.IME_ACTION_SEND
        question.setOnEditorActionListener { _, _, _ -> true.also { ask() } }
        question.setTextColor(context.getColor(R.color.ink))
        question.setHintTextColor(context.getColor(R.color.ink_soft))
        question.background = context.rounded(R.color.background, R.dimen.space_m)
        question.minHeight = context.size(R.dimen.touch)
        question.pad(R.dimen.space_m, R.dimen.space_s)
        send.setOnClickListener { if (shown?.isAnswering == true) deeds.stop() else ask() }
        (field as LinearLayout).apply {
            setBackgroundColor(context.getColor(R.color.surface))
            pad(R.dimen.space_m, R.dimen.space_s)
            add(question, weight = 1f)
            add(send)
        }
    }

    private fun ask() {
        if (deeds.send(question.text.toString())) question.setText("")
    }

    fun show(page: ChatPage) {
        val before = shown
        if (page == before) return
        shown = page
        if (page.models != before?.models || page.chosen != before.chosen) showModels(page)
        standing.show(listOfNotNull(page.standing))
        page.bubbles.forEachIndexed { index, bubble ->
            (bubbles.getChildAt(index) as BubbleView? ?: BubbleView(context).also { bubbles.add(it) }).show(bubble)
        }
        if (bubbles.childCount > page.bubbles.size) {
            bubbles.removeViews(page.bubbles.size, bubbles.childCount - page.bubbles.size)
        }
        field.visibility = if (page.canAsk) VISIBLE else GONE
        send.text = if (page.isAnswering) "Stop" else "Send"
        if (page.bubbles != before?.bubbles) post(::toTheEnd)
    }

    private fun showModels(page: ChatPage) {
        with.visibility = if (page.models.isEmpty()) GONE else VISIBLE
        with.text = page.models.getOrNull(page.chosen)?.let { "With ${modelName(it)}" }
        models.removeAllViews()
        // One model needs no choice.
        if (page.models.size < 2) return
        val choice = Choice(context, page.models.map(::modelName)) { page.models.getOrNull(it)?.let(deeds.choose) }
        choice.show(page.chosen)
        models.add(choice)
    }

    /** The newest words are what one wants to see. */
    private fun toTheEnd() {
        val page = generateSequence(parent) { it.parent }.filterIsInstance<ScrollView>().firstOrNull() ?: return
        page.scrollTo(0, page.getChildAt(0).height)
    }

    private class BubbleView(
        context: Context,
    ) : LinearLayout(context) {
        private val words = context.text(R.dimen.text_body)
        private val note = context.text(R.dimen.text_label, R.color.ink_soft)
        private var shown: Bubble? = null

        init {
            orientation = VERTICAL
            words.pad(R.dimen.space_m, R.dimen.space_s)
            // Spoken once, when the answer has ended, and not with every word.
            note.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
            add(words, width = LayoutParams.WRAP_CONTENT)
            add(note, R.dimen.space_xs, LayoutParams.WRAP_CONTENT)
        }

        fun show(bubble: Bubble) {
            if (bubble == shown) return
            shown = bubble
            gravity = if (bubble.isOwners) Gravity.END else Gravity.START
            words.background = context.rounded(if (bubble.isOwners) R.color.accent_wash else R.color.surface)
            words.text = bubble.text
            words.contentDescription = bubble.spoken
            note.text = bubble.note
            note.visibility = if (bubble.note.isEmpty()) GONE else VISIBLE
        }
    }
}
