package dev.exo.mobile.sample.view

import android.content.Context
import android.text.Editable
import android.text.InputType
import android.text.TextWatcher
import android.util.TypedValue
import android.view.Gravity
import android.view.View
import android.view.inputmethod.EditorInfo
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.Switch
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Wishes

/** What the owner wants. Each change is told to [wish]; a link to [offer], which gives what is wrong with it. */
internal class SettingsScreen(
    context: Context,
    private val wish: (Wishes) -> Unit,
    private val offer: (String) -> String?,
) : LinearLayout(context) {
    private var wishes = Wishes()

    private val name = field(R.id.name, "The phone's own name", InputType.TYPE_TEXT_FLAG_CAP_WORDS)
    private val charging = switch(R.id.charging, "Only while charging") { copy(onlyWhileCharging = it) }
    private val wifi = switch(R.id.wifi, "Only on Wi-Fi or a cable") { copy(wifiOnly = it) }
    private val foreground = switch(R.id.foreground, "Only while this app is on the screen") { copy(foregroundOnly = it) }
    private val nights = switch(R.id.nights, "Not between 22:00 and 07:00") { copy(quietNights = it) }
    private val battery =
        Choice(context, Wishes.BATTERIES.map(Wishes::batteryLabel)) { change { copy(minBattery = Wishes.BATTERIES[it]) } }

    private val link = field(R.id.link, "exo://192.168.1.7", InputType.TYPE_TEXT_VARIATION_URI)
    private val complaint = context.text(R.dimen.text_small, R.color.bad)
    private val code = QrView(context)
    private val codeNote = context.text(R.dimen.text_small, R.color.ink_soft)

    init {
        orientation = VERTICAL
        name.heard { change { copy(name = it) } }
        add(card("Name", "What others in the cluster see. It holds from the next join on.", name))
        val rules = context.column()
        listOf(charging, wifi, foreground, nights).forEach { rules.add(it, R.dimen.space_xs) }
        rules.add(context.text(R.dimen.text_body).apply { text = "Battery, at least" }, R.dimen.space_m)
        rules.add(battery)
        add(
            card("When this phone may work", "A member that may not work says so before it would be asked.", rules),
            R.dimen.space_m,
        )
        add(
            card(
                "Join by a link",
                "Type one, or point the camera at its QR code. You are asked before anything is sent.",
                links(),
            ),
            R.dimen.space_m,
        )
    }

    private fun links(): View {
        complaint.visibility = GONE
        complaint.accessibilityLiveRegion = ACCESSIBILITY_LIVE_REGION_POLITE
        codeNote.gravity = Gravity.CENTER_HORIZONTAL
        link.imeOptions = EditorInfo.IME_ACTION_GO
        link.setOnEditorActionListener { _, _, _ -> true.also { offerLink() } }
        val look = context.button(isQuiet = true, quiet = R.color.accent_wash).apply { text = "Look at this link" }
        look.setOnClickListener { offerLink() }
        return context.column().apply {
            add(link)
            add(complaint)
            add(look)
            add(code, R.dimen.space_l)
            add(codeNote)
        }
    }

    private fun offerLink() = complain(offer(link.text.toString()))

    /** Says what is wrong with a link, or that nothing is. */
    fun complain(why: String?) {
        complaint.text = why
        complaint.visibility = if (why == null) GONE else VISIBLE
    }

    fun show(wishes: Wishes) {
        this.wishes = wishes
        if (name.text.toString() != wishes.name) name.setText(wishes.name)
        charging.isChecked = wishes.onlyWhileCharging
        wifi.isChecked = wishes.wifiOnly
        foreground.isChecked = wishes.foregroundOnly
        nights.isChecked = wishes.quietNights
        battery.show(Wishes.BATTERIES.indexOf(wishes.minBattery))
        code.show(wishes.link)
        codeNote.text = wishes.link?.let { "$it\nAnother phone joins by reading this code." }
        codeNote.visibility = if (wishes.link == null) GONE else VISIBLE
    }

    private fun change(change: Wishes.() -> Wishes) {
        val changed = wishes.change()
        if (changed == wishes) return
        wishes = changed
        wish(changed)
    }

    private fun card(
        title: String,
        note: String,
        content: View,
    ) = context.column().apply {
        background = context.rounded(R.color.surface)
        pad(R.dimen.space_l, R.dimen.space_l)
        add(context.text(R.dimen.text_title, isStrong = true).asHeading().apply { text = title })
        add(context.text(R.dimen.text_small, R.color.ink_soft).apply { text = note }, R.dimen.space_xs)
        add(content, R.dimen.space_m)
    }

    private fun field(
        id: Int,
        hint: String,
        type: Int,
    ) = EditText(context).apply {
        this.id = id
        this.hint = hint
        inputType = InputType.TYPE_CLASS_TEXT or type
        setTextColor(context.getColor(R.color.ink))
        setHintTextColor(context.getColor(R.color.ink_soft))
        background = context.rounded(R.color.background, R.dimen.space_m)
        minHeight = context.size(R.dimen.touch)
        pad(R.dimen.space_m, R.dimen.space_s)
    }

    private fun switch(
        id: Int,
        label: String,
        change: Wishes.(Boolean) -> Wishes,
    ) = Switch(context).apply {
        this.id = id
        text = label
        setTextColor(context.getColor(R.color.ink))
        setTextSize(TypedValue.COMPLEX_UNIT_PX, resources.getDimension(R.dimen.text_body))
        minHeight = context.size(R.dimen.touch)
        setOnCheckedChangeListener { _, isOn -> change { change(isOn) } }
    }

    private fun EditText.heard(heard: (String) -> Unit) =
        addTextChangedListener(
            object : TextWatcher {
                override fun afterTextChanged(text: Editable) = heard(text.toString())

                override fun beforeTextChanged(
                    text: CharSequence,
                    start: Int,
                    count: Int,
                    after: Int,
                ) = Unit

                override fun onTextChanged(
                    text: CharSequence,
                    start: Int,
                    before: Int,
                    count: Int,
                ) = Unit
            },
        )
}
