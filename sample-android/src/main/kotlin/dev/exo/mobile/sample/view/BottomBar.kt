package dev.exo.mobile.sample.view

import android.content.Context
import android.content.res.ColorStateList
import android.text.TextUtils
import android.view.Gravity
import android.view.accessibility.AccessibilityNodeInfo
import android.widget.ImageView
import android.widget.LinearLayout
import dev.exo.mobile.sample.R

/** The screens, in their order. */
enum class Tab(
    val title: String,
    val icon: Int,
    val page: Int,
) {
    CLUSTER("Cluster", R.drawable.tab_cluster, R.id.page_cluster),
    CHAT("Chat", R.drawable.tab_chat, R.id.page_chat),
    PHONE("This phone", R.drawable.tab_phone, R.id.page_phone),
    SETTINGS("Settings", R.drawable.tab_settings, R.id.page_settings),
}

/** Chooses between the screens. */
internal class BottomBar(
    context: Context,
    choose: (Tab) -> Unit,
) : LinearLayout(context) {
    private val items = Tab.entries.associateWith { Item(context, it) }

    init {
        setBackgroundColor(context.getColor(R.color.surface))
        items.forEach { (tab, item) ->
            item.setOnClickListener { choose(tab) }
            addView(item, LayoutParams(0, LayoutParams.WRAP_CONTENT, 1f))
        }
    }

    fun show(tab: Tab): Unit = items.forEach { (other, item) -> item.isChosen(other == tab) }

    private class Item(
        context: Context,
        private val tab: Tab,
    ) : LinearLayout(context) {
        private val icon = ImageView(context)
        private val label = context.text(R.dimen.text_label, isStrong = true)

        init {
            orientation = VERTICAL
            gravity = Gravity.CENTER_HORIZONTAL
            minimumHeight = context.size(R.dimen.touch)
            pad(R.dimen.space_xs, R.dimen.space_s)
            icon.setImageResource(tab.icon)
            icon.pad(R.dimen.space_m, R.dimen.space_xs)
            label.text = tab.title
            label.maxLines = 1
            label.ellipsize = TextUtils.TruncateAt.END
            add(icon, width = LayoutParams.WRAP_CONTENT)
            add(label, R.dimen.space_xs, LayoutParams.WRAP_CONTENT)
            contentDescription = "${tab.title}, ${tab.ordinal + 1} of ${Tab.entries.size}"
        }

        fun isChosen(isChosen: Boolean) {
            isSelected = isChosen
            val ink = context.getColor(if (isChosen) R.color.accent else R.color.ink_soft)
            icon.imageTintList = ColorStateList.valueOf(ink)
            icon.background = if (isChosen) context.rounded(R.color.accent_wash) else null
            label.setTextColor(ink)
        }

        override fun onInitializeAccessibilityNodeInfo(info: AccessibilityNodeInfo) {
            super.onInitializeAccessibilityNodeInfo(info)
            info.className = "android.widget.TabWidget"
        }
    }
}
