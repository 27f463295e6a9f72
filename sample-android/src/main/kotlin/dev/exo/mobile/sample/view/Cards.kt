package dev.exo.mobile.sample.view

import android.content.Context
import android.content.res.ColorStateList
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.LinearLayout
import android.widget.ProgressBar
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Action
import dev.exo.mobile.sample.words.Card
import dev.exo.mobile.sample.words.Line
import dev.exo.mobile.sample.words.Tone

/** Cards below each other. A card that is still of its kind is changed in place, so that nobody loses what they touch or hear. */
internal class CardList(
    context: Context,
    private val act: (Action) -> Unit,
    private val serve: (String, Boolean) -> Unit = { _, _ -> },
) : LinearLayout(context) {
    init {
        orientation = VERTICAL
    }

    fun show(cards: List<Card>) {
        cards.forEachIndexed { index, card ->
            val now = getChildAt(index)
            when (card) {
                is Card.Standing -> (now as? StandingCard ?: put(StandingCard(context, act), index)).show(card)
                is Card.Lines -> (now as? LinesCard ?: put(LinesCard(context), index)).show(card)
                is Card.Gauge -> (now as? GaugeCard ?: put(GaugeCard(context), index)).show(card)
                is Card.Serve -> (now as? ServeCard ?: put(ServeCard(context, serve), index)).show(card)
                is Card.Heat -> (now as? HeatCard ?: put(HeatCard(context), index)).show(card)
            }
        }
        if (childCount > cards.size) removeViews(cards.size, childCount - cards.size)
    }

    private fun <T : View> put(
        card: T,
        index: Int,
    ): T {
        if (index < childCount) removeViewAt(index)
        val layout = LayoutParams(LayoutParams.MATCH_PARENT, WRAP_CONTENT)
        layout.bottomMargin = context.size(R.dimen.space_m)
        addView(card, index, layout)
        return card
    }
}

/** A card of one kind. What is shown already is not drawn, or said, again. */
internal abstract class CardView<C : Card>(
    context: Context,
) : LinearLayout(context) {
    private var shown: C? = null

    init {
        orientation = VERTICAL
        background = context.rounded(R.color.surface)
        pad(R.dimen.space_l, R.dimen.space_l)
    }

    fun show(card: C) {
        if (card != shown) draw(card)
        shown = card
    }

    protected abstract fun draw(card: C)
}

private class StandingCard(
    context: Context,
    private val act: (Action) -> Unit,
) : CardView<Card.Standing>(context) {
    private val headline = context.text(R.dimen.text_title, isStrong = true).asHeading()
    private val sentence = context.text(R.dimen.text_body)
    private val wait = ProgressBar(context, null, android.R.attr.progressBarStyleHorizontal)
    private val buttons = context.column()
    private var offered: List<Action>? = null

    init {
        wait.isIndeterminate = true
        wait.contentDescription = "Going on"
        // A change is spoken, also while the finger is elsewhere.
        headline.accessibilityLiveRegion = View.ACCESSIBILITY_LIVE_REGION_POLITE
        add(headline)
        add(sentence)
        add(wait, R.dimen.space_m)
        add(buttons, R.dimen.space_m)
    }

    override fun draw(card: Card.Standing) {
        background = context.rounded(card.tone.wash)
        headline.text = card.headline
        headline.setTextColor(context.getColor(card.tone.ink))
        sentence.text = card.sentence
        wait.indeterminateTintList = ColorStateList.valueOf(context.getColor(card.tone.ink))
        wait.visibility = if (card.isBusy) VISIBLE else GONE
        offer(listOfNotNull(card.action, card.other))
    }

    /** A button that stays is left alone: a finger may be on it. */
    private fun offer(actions: List<Action>) {
        if (actions == offered) return
        offered = actions
        buttons.removeAllViews()
        buttons.visibility = if (actions.isEmpty()) GONE else VISIBLE
        actions.forEach { does ->
            val button = context.button(isQuiet = does.isQuiet)
            button.text = does.label
            button.setOnClickListener { act(does) }
            buttons.add(button)
        }
    }
}

private class LinesCard(
    context: Context,
) : CardView<Card.Lines>(context) {
    private val title = context.text(R.dimen.text_small, R.color.ink_soft, isStrong = true).asHeading()
    private val lines = context.column()

    init {
        add(title)
        add(lines, R.dimen.space_m)
    }

    override fun draw(card: Card.Lines) {
        title.text = card.title
        lines.removeAllViews()
        card.lines.forEach { lines.add(lineView(it), R.dimen.space_m) }
    }

    private fun lineView(line: Line): View {
        val words = context.column()
        words.add(context.text(R.dimen.text_body, isStrong = true).apply { text = line.name })
        words.add(context.text(R.dimen.text_small, R.color.ink_soft).apply { text = line.detail }, R.dimen.space_xs)
        val figure = context.text(R.dimen.text_body).apply { text = line.figure }
        if (context.isTextLarge && line.figure.isNotEmpty()) words.add(figure, R.dimen.space_xs)
        return context.row().apply {
            gravity = Gravity.TOP
            addView(dot(line.tone))
            add(words, R.dimen.space_m, weight = 1f)
            if (!context.isTextLarge) add(figure)
            contentDescription = line.spoken
            isHeardAsOne()
        }
    }

    private fun dot(tone: Tone) =
        View(context).apply {
            background = context.rounded(tone.ink, R.dimen.space_xs)
            val side = context.size(R.dimen.space_s)
            // In the middle of the name's line, however large its letters are.
            val below = (resources.getDimension(R.dimen.text_body) * LINE - side).toInt() / 2
            layoutParams = LayoutParams(side, side).apply { topMargin = below }
        }
}

private const val LINE = 1.35f

private class GaugeCard(
    context: Context,
) : CardView<Card.Gauge>(context) {
    private val title = context.text(R.dimen.text_small, R.color.ink_soft, isStrong = true)
    private val figure = context.text(R.dimen.text_title, isStrong = true)
    private val bar = ProgressBar(context, null, android.R.attr.progressBarStyleHorizontal)
    private val note = context.text(R.dimen.text_small, R.color.ink_soft)

    init {
        bar.max = WHOLE
        bar.progressTintList = ColorStateList.valueOf(context.getColor(R.color.accent))
        bar.progressBackgroundTintList = ColorStateList.valueOf(context.getColor(R.color.accent))
        add(title)
        add(figure, R.dimen.space_xs)
        add(bar, R.dimen.space_xs)
        add(note, R.dimen.space_xs)
        isHeardAsOne()
    }

    override fun draw(card: Card.Gauge) {
        title.text = card.title
        figure.text = card.figure
        note.text = card.note
        bar.visibility = if (card.part == null) GONE else VISIBLE
        bar.progress = ((card.part ?: 0.0) * WHOLE).toInt()
        contentDescription = "${card.title}: ${card.figure}. ${card.note}"
    }

    private companion object {
        const val WHOLE = 1000
    }
}

private class HeatCard(
    context: Context,
) : CardView<Card.Heat>(context) {
    private val title = context.text(R.dimen.text_small, R.color.ink_soft, isStrong = true)
    private val figure = context.text(R.dimen.text_title, isStrong = true)
    private val chart = HeatChart(context)
    private val note = context.text(R.dimen.text_small, R.color.ink_soft)

    init {
        add(title)
        add(figure, R.dimen.space_xs)
        add(chart, R.dimen.space_m)
        add(note, R.dimen.space_m)
        isHeardAsOne()
    }

    override fun draw(card: Card.Heat) {
        title.text = card.title
        figure.text = card.figure
        note.text = card.note
        chart.curve = card.curve
        chart.visibility = if (card.curve == null) GONE else VISIBLE
        contentDescription = "${card.title}: ${card.figure}. ${card.note}"
    }
}
