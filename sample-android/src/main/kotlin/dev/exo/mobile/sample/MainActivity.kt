package dev.exo.mobile.sample

import android.Manifest
import android.app.Activity
import android.content.Intent
import android.content.pm.PackageManager
import android.os.Build
import android.os.Bundle
import dev.exo.mobile.Exo
import dev.exo.mobile.ExoException
import dev.exo.mobile.LinkPreview
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.sample.view.ChatDeeds
import dev.exo.mobile.sample.view.MainView
import dev.exo.mobile.sample.view.Tab
import dev.exo.mobile.sample.words.Action
import dev.exo.mobile.sample.words.chatPage
import dev.exo.mobile.sample.words.clusterCards
import dev.exo.mobile.sample.words.phoneCards
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.MainScope
import kotlinx.coroutines.cancel
import kotlinx.coroutines.launch
import android.provider.Settings as SystemSettings

/** The one activity: shows what is known, and does what the owner asks for. */
class MainActivity : Activity() {
    private val app get() = application as SampleApp
    private val view by lazy { MainView(this, ::choose, ::act, ::serve, app::wish, ::offer, chatDeeds) }
    private val chatDeeds get() = ChatDeeds(::act, app.chat::choose, app.chat::send, app.chat::stop)
    private var tab = Tab.CLUSTER

    /** A link that waits for the owner's yes. */
    private var offered: LinkPreview? = null
    private var showing: CoroutineScope? = null

    override fun onCreate(state: Bundle?) {
        super.onCreate(state)
        setContentView(view)
        if (state == null) {
            opened(intent)
        } else {
            state.getString(OFFERED)?.let(::read)
            tab = Tab.entries[state.getInt(TAB)]
        }
        view.settings.show(app.settings.wishes)
    }

    override fun onNewIntent(intent: Intent) {
        super.onNewIntent(intent)
        opened(intent)
        render()
    }

    override fun onSaveInstanceState(state: Bundle) {
        super.onSaveInstanceState(state)
        state.putInt(TAB, tab.ordinal)
        state.putString(OFFERED, offered?.link)
    }

    override fun onStart() {
        super.onStart()
        app.watch.look(app.gpu)
        app.shelf.look()
        showing =
            MainScope().apply {
                launch { app.watch.seen.collect { render() } }
                launch { app.shelf.seen.collect { render() } }
                launch { app.chat.talk.collect { render() } }
                launch { app.download.stage.collect { render() } }
            }
    }

    /** The owner may come back from Android's settings. */
    override fun onResume() {
        super.onResume()
        render()
    }

    override fun onStop() {
        showing?.cancel()
        super.onStop()
    }

    private fun render() {
        val seen = app.watch.seen.value
        val models = app.shelf.seen.value
        view.show(tab)
        when (tab) {
            Tab.CLUSTER -> view.cluster.show(clusterCards(seen, LocalNetworkPermission.state(this), offered))
            Tab.CHAT -> view.chat.show(chatPage(models, app.chat.talk.value, app.chat.chosen, app.download.stage.value))
            Tab.PHONE -> view.phone.show(phoneCards(seen, models.models.orEmpty()))
            Tab.SETTINGS -> Unit // It changes only by the owner's hand.
        }
    }

    private fun choose(tab: Tab) {
        this.tab = tab
        render()
    }

    private fun serve(
        model: String,
        isServed: Boolean,
    ) {
        app.serve(model, isServed)
        view.settings.show(app.settings.wishes)
    }

    private fun act(action: Action) {
        when (action) {
            Action.JOIN, Action.ALLOW -> join()
            Action.STOP, Action.LEAVE -> app.leave()
            Action.APP_SETTINGS -> startActivity(LocalNetworkPermission.settings(this))
            Action.NETWORK_SETTINGS -> startActivity(Intent(SystemSettings.ACTION_WIRELESS_SETTINGS))
            Action.JOIN_LINK -> agree()
            Action.DISMISS_LINK -> offered = null
            Action.GET_MODEL -> app.download.begin()
            Action.STOP_GETTING -> app.download.stop()
        }
        render()
    }

    private fun join() {
        when (LocalNetworkPermission.state(this)) {
            LocalNetworkPermission.State.NOT_NEEDED, LocalNetworkPermission.State.GRANTED -> joinNow()
            LocalNetworkPermission.State.DENIED -> LocalNetworkPermission.ask(this, LOCAL_NETWORK)
            LocalNetworkPermission.State.DENIED_FOR_GOOD -> Unit // The screen says so, and leads to the settings.
        }
    }

    /** The service runs without its notification too, so the answer to that question changes nothing here. */
    private fun joinNow() {
        val notifications = Manifest.permission.POST_NOTIFICATIONS
        if (Build.VERSION.SDK_INT >= Build.VERSION_CODES.TIRAMISU &&
            checkSelfPermission(notifications) != PackageManager.PERMISSION_GRANTED
        ) {
            requestPermissions(arrayOf(notifications), NOTIFICATIONS)
        }
        app.join()
    }

    override fun onRequestPermissionsResult(
        request: Int,
        permissions: Array<String>,
        results: IntArray,
    ) {
        val isGranted = LocalNetworkPermission.state(this) == LocalNetworkPermission.State.GRANTED
        if (request == LOCAL_NETWORK && isGranted) joinNow()
        render()
    }

    private fun opened(intent: Intent?) {
        if (intent?.action == Intent.ACTION_VIEW) intent.dataString?.let(::read)?.let(view.settings::complain)
    }

    /** From the settings: gives what is wrong with the link, or shows the question. */
    private fun offer(link: String): String? = read(link).also { render() }

    /** Reads a link, which sends nothing. Gives what is wrong with it. */
    private fun read(link: String): String? {
        try {
            offered = Exo.readLink(link)
        } catch (wrong: ExoException) {
            tab = Tab.SETTINGS
            return wrong.message
        }
        tab = Tab.CLUSTER
        return null
    }

    /** The one place where a link is ever used. */
    private fun agree() {
        val link = offered ?: return
        offered = null
        app.wish(app.settings.wishes.copy(link = link.link))
        view.settings.show(app.settings.wishes)
        app.leave()
        join()
    }

    private companion object {
        const val TAB = "tab"
        const val OFFERED = "offered"
        const val LOCAL_NETWORK = 1
        const val NOTIFICATIONS = 2
    }
}
