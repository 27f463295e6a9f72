package dev.exo.mobile.sample.view

import android.content.Context
import android.os.Build
import android.view.Gravity
import android.view.View
import android.view.WindowInsets
import android.widget.FrameLayout
import android.widget.LinearLayout
import android.widget.ScrollView
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.Action
import dev.exo.mobile.sample.words.Wishes

/** The four screens, one at a time, over the bar that chooses between them. */
internal class MainView(
    context: Context,
    choose: (Tab) -> Unit,
    act: (Action) -> Unit,
    serve: (String, Boolean) -> Unit,
    wish: (Wishes) -> Unit,
    offer: (String) -> String?,
    chatDeeds: ChatDeeds,
) : LinearLayout(context) {
    val cluster = CardList(context, act)
    val chat = ChatScreen(context, chatDeeds)
    val phone = CardList(context, act, serve)
    val settings = SettingsScreen(context, wish, offer)

    private val screens =
        mapOf(Tab.CLUSTER to cluster, Tab.CHAT to chat, Tab.PHONE to phone, Tab.SETTINGS to settings)
            .mapValues(::page)
            .mapValues { (tab, page) -> if (tab == Tab.CHAT) overField(page) else page }
    private val bar = BottomBar(context, choose)

    init {
        orientation = VERTICAL
        setBackgroundColor(context.getColor(R.color.background))
        val stack = FrameLayout(context)
        screens.values.forEach(stack::addView)
        addView(stack, LayoutParams(LayoutParams.MATCH_PARENT, 0, 1f))
        addView(bar, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT))
    }

    fun show(tab: Tab) {
        screens.forEach { (other, page) -> page.visibility = if (other == tab) VISIBLE else GONE }
        bar.show(tab)
    }

    /** A title and what belongs below it, no wider than people like to read. */
    private fun page(screen: Map.Entry<Tab, View>): View {
        val (tab, content) = screen
        val column = context.column()
        column.pad(R.dimen.space_m, R.dimen.space_l)
        column.add(
            context.text(R.dimen.text_display, isStrong = true).asHeading().apply {
                text = tab.title
                setPaddingRelative(context.size(R.dimen.space_s), 0, 0, 0)
            },
        )
        column.add(content, R.dimen.space_m)
        val centred =
            object : FrameLayout(context) {
                override fun onMeasure(
                    width: Int,
                    height: Int,
                ) {
                    val widest = context.size(R.dimen.widest)
                    column.layoutParams.width = minOf(MeasureSpec.getSize(width), widest)
                    super.onMeasure(width, height)
                }
            }
        centred.addView(column, FrameLayout.LayoutParams(0, LayoutParams.WRAP_CONTENT, Gravity.CENTER_HORIZONTAL))
        return ScrollView(context).apply {
            // Kept over rotation by its id.
            id = tab.page
            isFillViewport = true
            isVerticalScrollBarEnabled = false
            addView(centred)
        }
    }

    /** The field stays where it is while the conversation moves. */
    private fun overField(page: View) =
        context.column().apply {
            addView(page, LayoutParams(LayoutParams.MATCH_PARENT, 0, 1f))
            addView(chat.field, LayoutParams(LayoutParams.MATCH_PARENT, LayoutParams.WRAP_CONTENT))
        }

    /** From Android 15 on, apps draw below the system's bars, and keep out of them by themselves. */
    override fun onApplyWindowInsets(insets: WindowInsets): WindowInsets {
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.R) {
            val types = WindowInsets.Type.systemBars() or WindowInsets.Type.displayCutout() or WindowInsets.Type.ime()
            val taken = insets.getInsets(types)
            setPadding(taken.left, taken.top, taken.right, 0)
            bar.setPadding(0, 0, 0, taken.bottom)
        }
        return super.onApplyWindowInsets(insets)
    }
}
