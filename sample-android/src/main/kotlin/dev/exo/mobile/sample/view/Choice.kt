package dev.exo.mobile.sample.view

import android.content.Context
import android.content.res.ColorStateList
import android.graphics.drawable.StateListDrawable
import android.view.Gravity
import android.widget.LinearLayout
import android.widget.RadioButton
import android.widget.RadioGroup
import dev.exo.mobile.sample.R

/** One of a few, side by side; below each other where the text is large. */
internal class Choice(
    context: Context,
    labels: List<String>,
    private val chosen: (Int) -> Unit,
) : RadioGroup(context) {
    init {
        orientation = if (context.isTextLarge) LinearLayout.VERTICAL else LinearLayout.HORIZONTAL
        labels.forEachIndexed {
            index,
            label,
            ->
            add(option(index, label), R.dimen.space_s, weight = if (context.isTextLarge) 0f else 1f)
        }
        setOnCheckedChangeListener { _, index -> chosen(index) }
    }

    fun show(index: Int): Unit = check(index)

    private fun option(
        index: Int,
        label: String,
    ) = RadioButton(context).apply {
        id = index
        text = label
        gravity = Gravity.CENTER
        // The shape says which one is chosen; who hears the screen is told by Android.
        buttonDrawable = null
        background =
            StateListDrawable().apply {
                addState(intArrayOf(android.R.attr.state_checked), context.rounded(R.color.accent, R.dimen.space_m))
                addState(intArrayOf(), context.rounded(R.color.background, R.dimen.space_m))
            }
        setTextColor(
            ColorStateList(
                arrayOf(intArrayOf(android.R.attr.state_checked), intArrayOf()),
                intArrayOf(context.getColor(R.color.on_accent), context.getColor(R.color.ink)),
            ),
        )
        minHeight = context.size(R.dimen.touch)
    }
}
