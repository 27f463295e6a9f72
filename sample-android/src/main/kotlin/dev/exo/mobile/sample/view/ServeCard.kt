package dev.exo.mobile.sample.view

import android.content.Context
import android.util.TypedValue
import android.widget.Switch
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Card

/** Lets the cluster ask a model. What it costs stands above the switch: it is read, or heard, first. */
internal class ServeCard(
    context: Context,
    private val serve: (String, Boolean) -> Unit,
) : CardView<Card.Serve>(context) {
    private val title = context.text(R.dimen.text_title, isStrong = true).asHeading()
    private val costs = context.text(R.dimen.text_small, R.color.ink_soft)
    private val switch = Switch(context)

    init {
        switch.text = "The cluster may ask this model"
        switch.setTextColor(context.getColor(R.color.ink))
        switch.setTextSize(TypedValue.COMPLEX_UNIT_PX, resources.getDimension(R.dimen.text_body))
        switch.minHeight = context.size(R.dimen.touch)
        add(title)
        add(costs, R.dimen.space_xs)
        add(switch, R.dimen.space_s)
    }

    override fun draw(card: Card.Serve) {
        title.text = card.title
        costs.text = card.costs
        // Only the owner's hand is heard.
        switch.setOnCheckedChangeListener(null)
        switch.isChecked = card.isOn
        switch.setOnCheckedChangeListener { _, isOn -> serve(card.model, isOn) }
    }
}
