package dev.exo.mobile.sample.view

import android.content.Context
import android.content.res.ColorStateList
import android.graphics.Typeface
import android.graphics.drawable.GradientDrawable
import android.graphics.drawable.RippleDrawable
import android.os.Build
import android.util.TypedValue
import android.view.Gravity
import android.view.View
import android.view.ViewGroup.LayoutParams.MATCH_PARENT
import android.view.ViewGroup.LayoutParams.WRAP_CONTENT
import android.widget.Button
import android.widget.LinearLayout
import android.widget.TextView
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Tone

// The small pieces that all screens are built of. Every size and colour is a token of res/values/tokens.xml.

internal fun Context.size(token: Int): Int = resources.getDimensionPixelSize(token)

internal fun Context.text(
    size: Int,
    colour: Int = R.color.ink,
    isStrong: Boolean = false,
) = TextView(this).apply {
    setTextSize(TypedValue.COMPLEX_UNIT_PX, resources.getDimension(size))
    setTextColor(context.getColor(colour))
    if (isStrong) typeface = Typeface.create("sans-serif-medium", Typeface.NORMAL)
    setLineSpacing(0f, LINE_SPACING)
}

internal fun TextView.asHeading() = apply { if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) isAccessibilityHeading = true }

/** One thing to hear, not each of its parts. */
internal fun View.isHeardAsOne() {
    if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.P) isScreenReaderFocusable = true else isFocusable = true
}

internal fun Context.column() = LinearLayout(this).apply { orientation = LinearLayout.VERTICAL }

internal fun Context.row() = LinearLayout(this).apply { gravity = Gravity.CENTER_VERTICAL }

/** Adds [view] below or beside the others, with this distance to the one before. */
internal fun LinearLayout.add(
    view: View,
    distance: Int = R.dimen.space_s,
    width: Int = if (orientation == LinearLayout.VERTICAL) MATCH_PARENT else WRAP_CONTENT,
    weight: Float = 0f,
) {
    val layout = LinearLayout.LayoutParams(if (weight > 0) 0 else width, WRAP_CONTENT, weight)
    if (childCount > 0) {
        if (orientation == LinearLayout.VERTICAL) {
            layout.topMargin = context.size(distance)
        } else {
            layout.marginStart = context.size(distance)
        }
    }
    addView(view, layout)
}

internal fun View.pad(
    horizontal: Int,
    vertical: Int,
) = setPadding(context.size(horizontal), context.size(vertical), context.size(horizontal), context.size(vertical))

/** A shape with round corners. */
internal fun Context.rounded(
    colour: Int,
    corner: Int = R.dimen.corner,
) = GradientDrawable().apply {
    setColor(getColor(colour))
    cornerRadius = resources.getDimension(corner)
}

internal fun View.pressable(
    shape: GradientDrawable,
    ink: Int,
) {
    val ripple = ColorStateList.valueOf(context.getColor(ink) and 0x00FFFFFF or (0x33 shl 24))
    background = RippleDrawable(ripple, shape, null)
}

/** A button: filled where it is what most people want, quiet where it is not. */
internal fun Context.button(
    isQuiet: Boolean,
    quiet: Int = R.color.surface,
) = Button(this).apply {
    val (fill, ink) = if (isQuiet) quiet to R.color.accent else R.color.accent to R.color.on_accent
    pressable(rounded(fill, R.dimen.space_l), ink)
    setTextColor(context.getColor(ink))
    setTextSize(TypedValue.COMPLEX_UNIT_PX, resources.getDimension(R.dimen.text_body))
    typeface = Typeface.create("sans-serif-medium", Typeface.NORMAL)
    isAllCaps = false
    stateListAnimator = null
    minHeight = context.size(R.dimen.touch)
    pad(R.dimen.space_l, R.dimen.space_s)
}

/** The colours that say how something stands: for what is written, and for what lies below. */
internal val Tone.ink get() =
    when (this) {
        Tone.CALM -> R.color.accent
        Tone.GOOD -> R.color.good
        Tone.WARN -> R.color.warn
        Tone.BAD -> R.color.bad
    }

internal val Tone.wash get() =
    when (this) {
        Tone.CALM -> R.color.accent_wash
        Tone.GOOD -> R.color.good_wash
        Tone.WARN -> R.color.warn_wash
        Tone.BAD -> R.color.bad_wash
    }

/** From here on, what stands side by side is stacked. */
internal val Context.isTextLarge get() = resources.configuration.fontScale >= LARGE

private const val LARGE = 1.3f
private const val LINE_SPACING = 1.12f
