package dev.exo.mobile.sample

import android.app.ActivityManager
import android.content.Context
import android.content.Intent
import android.graphics.Bitmap
import android.graphics.Canvas
import android.net.ConnectivityManager
import android.net.NetworkCapabilities
import android.net.Uri
import android.os.BatteryManager
import android.os.Build
import android.os.Looper
import android.view.View
import android.view.ViewGroup
import android.widget.EditText
import android.widget.TextView
import dev.exo.mobile.BackendKind
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.JoinOptions
import dev.exo.mobile.Question
import dev.exo.mobile.android.ExoNodeService
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.android.PreferencesKeyStore
import dev.exo.mobile.sample.words.Wishes
import org.robolectric.Robolectric
import org.robolectric.RuntimeEnvironment
import org.robolectric.Shadows.shadowOf
import org.robolectric.android.controller.ActivityController
import org.robolectric.android.controller.ServiceController
import org.robolectric.shadows.ShadowBuild
import org.robolectric.shadows.ShadowNetworkCapabilities
import org.robolectric.util.ReflectionHelpers
import java.util.concurrent.TimeUnit
import kotlin.time.Duration.Companion.seconds
import kotlin.time.TimeSource

/** The app, which never leaves this computer: whatever it would search for, [stay] has the last word. */
class LoopbackApp : SampleApp() {
    var stay: (JoinOptions) -> JoinOptions = { it.copy(only = emptySet(), confirmedLink = null) }

    /** Vulkan on the processor, the same on every computer, with as much memory as a phone would give. */
    override val gpu = GpuOptions(backend = BackendKind.VULKAN, memoryCap = 3L shl 30)

    /** The processor, which every computer has, and the same answer each time. */
    override val computing = GpuOptions(backend = BackendKind.CPU, memoryCap = 3L shl 30)
    override val asking get() = Question(emptyList(), maxTokens = mostTokens, temperature = 0.0, seed = 7)

    /** The world's models, as far as this computer has them. */
    val hub = FakeHub()
    override val fetcher get() = hub

    /** How long an answer may be, until the chat is first opened. */
    var mostTokens = 40

    /** How the last node was to join, before [stay]. */
    var wanted: JoinOptions? = null

    override fun options(wishes: Wishes): JoinOptions = super.options(wishes).also { wanted = it }.let(stay)
}

/** A phone with this app on it, as Robolectric plays it, and who holds it. */
class Phone : AutoCloseable {
    val app: LoopbackApp = RuntimeEnvironment.getApplication() as LoopbackApp
    private var screen: ActivityController<MainActivity>? = null
    private var service: ServiceController<ExoNodeService>? = null

    val activity: MainActivity get() = checkNotNull(screen).get()

    init {
        ShadowBuild.setModel("Pixel 9")
        ReflectionHelpers.setStaticField(Build.VERSION::class.java, "RELEASE", "17")
        if (Build.VERSION.SDK_INT >=
            30
        ) {
            ReflectionHelpers.setStaticField(Build.VERSION::class.java, "RELEASE_OR_CODENAME", "17")
        }
        PreferencesKeyStore(app).save(ID)
        app.settings.wishes = Wishes(name = "Ada's Pixel")
        hasMemory(total = 8L shl 30, free = 5_500_000_000)
        hasBattery(level = 82, tenthsOfDegree = 312, isCharging = true)
        isOnWifi()
    }

    fun open(intent: Intent? = null): Phone {
        screen?.pause()?.stop()?.destroy()
        screen = Robolectric.buildActivity(MainActivity::class.java, intent).setup()
        idle()
        return this
    }

    fun open(link: String): Phone = open(Intent(Intent.ACTION_VIEW, Uri.parse(link)))

    /** Turned, or dark, or with larger letters: Android makes the screen anew and gives it what it had kept. */
    fun changed(
        qualifiers: String? = null,
        fontScale: Float? = null,
    ) {
        if (qualifiers != null) RuntimeEnvironment.setQualifiers("+$qualifiers")
        if (fontScale != null) RuntimeEnvironment.setFontScale(fontScale)
        screen?.recreate()
        idle()
    }

    /** Taps what has this text, or begins with it when it is spoken. */
    fun tap(label: String) {
        touch(label)
        serviceStarts()
    }

    /** The same, and nothing else happens yet. */
    fun touch(label: String) {
        checkNotNull(tappable(label)) { "nothing to tap says \"$label\": ${texts()}" }.performClick()
    }

    /** The same as soon as it is there, while an answer that grows by itself is not over yet. */
    fun touchSoon(label: String) {
        waiting("there is \"$label\" to tap", { tappable(label) != null }) {
            shadowOf(Looper.getMainLooper()).runOneTask()
            Thread.sleep(1)
        }
        touch(label)
    }

    private fun tappable(label: String): View? =
        views().firstOrNull { view ->
            view.isClickable && view.isShown &&
                ((view as? TextView)?.text?.toString() == label || view.contentDescription?.startsWith(label) == true)
        }

    /** A link is opened while the app runs. */
    fun isSent(link: String) {
        checkNotNull(screen).newIntent(Intent(Intent.ACTION_VIEW, Uri.parse(link)))
        idle()
    }

    /** The owner was elsewhere, and returns. */
    fun comesBack() {
        checkNotNull(screen).pause().resume()
        idle()
    }

    /** Android starts the service, if the app has asked for it. */
    fun serviceStarts() {
        idle()
        generateSequence { shadowOf(app).nextStartedService }.forEach { intent ->
            check(intent.component?.className == ExoNodeService::class.java.name) { "$intent" }
            val running = service ?: Robolectric.buildService(ExoNodeService::class.java, intent).create()
            service = running
            running.startCommand(0, 1)
            idle()
        }
    }

    /** All that can be read on the screen. */
    fun texts(): List<String> =
        views()
            .filterIsInstance<TextView>()
            .filter { it.isShown && it.text.isNotEmpty() }
            .map { it.text.toString() }
            .toList()

    fun says(words: String): Boolean = texts().any { words in it }

    /** Lets the app go on until it says [words]. The deadline is only there for failures. */
    fun untilItSays(words: String): Phone = until("the screen says \"$words\"") { says(words) }

    fun until(
        what: String,
        isSo: () -> Boolean,
    ): Phone =
        waiting(what, isSo) {
            Thread.sleep(20)
            serviceStarts()
        }

    private fun waiting(
        what: String,
        isSo: () -> Boolean,
        goOn: () -> Unit,
    ): Phone {
        val began = TimeSource.Monotonic.markNow()
        while (!isSo()) {
            if (began.elapsedNow() > DEADLINE) throw AssertionError("not within $DEADLINE: $what; it says ${texts()}")
            goOn()
        }
        return this
    }

    /** One second of everybody's clock. */
    fun aSecond() {
        val began = TimeSource.Monotonic.markNow()
        until("a second has passed") { began.elapsedNow() >= 1.seconds }
    }

    fun idle(): Unit = shadowOf(Looper.getMainLooper()).idle()

    fun views(): Sequence<View> = activity.window.decorView.all()

    private fun View.all(): Sequence<View> =
        sequenceOf(this) +
            if (this is ViewGroup) (0 until childCount).asSequence().flatMap { getChildAt(it).all() } else emptySequence()

    fun picture(): Bitmap {
        // Lets what moves at first come to rest.
        shadowOf(Looper.getMainLooper()).idleFor(1, TimeUnit.SECONDS)
        val window = activity.window.decorView
        val bitmap = Bitmap.createBitmap(window.width, window.height, Bitmap.Config.ARGB_8888)
        window.draw(Canvas(bitmap))
        return bitmap
    }

    /** A model lies where the app looks for it. */
    fun hasModel(): Unit = Models.put(app.noBackupFilesDir.resolve("models"))

    fun writes(text: String): Unit = views().filterIsInstance<EditText>().single { it.id == R.id.question }.setText(text)

    fun hasMemory(
        total: Long,
        free: Long,
    ) {
        val memory = ActivityManager.MemoryInfo()
        memory.totalMem = total
        memory.availMem = free
        shadowOf(system<ActivityManager>()).setMemoryInfo(memory)
    }

    fun hasBattery(
        level: Int,
        tenthsOfDegree: Int,
        isCharging: Boolean,
    ) {
        val status = if (isCharging) BatteryManager.BATTERY_STATUS_CHARGING else BatteryManager.BATTERY_STATUS_DISCHARGING
        val intent =
            Intent(Intent.ACTION_BATTERY_CHANGED)
                .putExtra(BatteryManager.EXTRA_PRESENT, true)
                .putExtra(BatteryManager.EXTRA_LEVEL, level)
                .putExtra(BatteryManager.EXTRA_SCALE, 100)
                .putExtra(BatteryManager.EXTRA_STATUS, status)
                .putExtra(BatteryManager.EXTRA_PLUGGED, if (isCharging) BatteryManager.BATTERY_PLUGGED_AC else 0)
                .putExtra(BatteryManager.EXTRA_TEMPERATURE, tenthsOfDegree)
        @Suppress("DEPRECATION")
        app.sendStickyBroadcast(intent)
        idle()
    }

    fun isOnWifi() {
        val networks = system<ConnectivityManager>()
        val wifi = ShadowNetworkCapabilities.newInstance()
        shadowOf(wifi).addTransportType(NetworkCapabilities.TRANSPORT_WIFI)
        shadowOf(wifi).addCapability(NetworkCapabilities.NET_CAPABILITY_NOT_METERED)
        shadowOf(networks).setNetworkCapabilities(networks.activeNetwork, wifi)
    }

    /** Whether Android would say that an explanation is due: it does after the first no. */
    fun explanationIsDue(isDue: Boolean): Unit =
        shadowOf(app.packageManager).setShouldShowRequestPermissionRationale(LocalNetworkPermission.NAME, isDue)

    fun hasNoNetwork() {
        @Suppress("DEPRECATION")
        shadowOf(system<ConnectivityManager>()).setActiveNetworkInfo(null)
    }

    private inline fun <reified T : Any> system(): T = checkNotNull((app as Context).getSystemService(T::class.java))

    /** Leaves, as the service does when it ends, so that the next test begins with nothing. */
    override fun close() {
        ExoNodeService.stop()
        until("the node has ended") { ExoNodeService.node.value == null }
        screen?.pause()?.stop()?.destroy()
        service?.destroy()
        app.chat.stop()
        app.chat.letGo()
        app.shelf.close()
    }

    companion object {
        /** The phone's identity, which is always the same. */
        const val ID = "a11ce0de5b4c4d3e9f8a7b6c5d4e3f20"
        private val DEADLINE = 120.seconds
    }
}
