package dev.exo.mobile.sample.words

/** What a screen shows, from top to bottom, in words and figures. How it looks is the views' business. */
sealed interface Card {
    /** How something stands, and what can be done about it. */
    data class Standing(
        val tone: Tone,
        val headline: String,
        val sentence: String,
        val isBusy: Boolean = false,
        val action: Action? = null,
        val other: Action? = null,
    ) : Card

    /** Things of one kind. */
    data class Lines(
        val title: String,
        val lines: List<Line>,
    ) : Card

    /** A figure, as a part of a whole where there is one. */
    data class Gauge(
        val title: String,
        val figure: String,
        val note: String,
        val part: Double? = null,
    ) : Card

    /** Whether the cluster may ask a model, and what that costs. */
    data class Serve(
        val model: String,
        val title: String,
        val costs: String,
        val isOn: Boolean,
    ) : Card

    /** Where the heat was and where it is going. */
    data class Heat(
        val title: String,
        val figure: String,
        val note: String,
        val curve: HeatCurve?,
    ) : Card
}

data class Line(
    val tone: Tone,
    val name: String,
    val detail: String,
    val figure: String = "",
) {
    /** All of it, for who hears the screen. */
    val spoken: String get() = listOf(name, figure, detail).filter { it.isNotEmpty() }.joinToString(", ")
}

enum class Tone { CALM, GOOD, WARN, BAD }

/** What the owner can do. What is quiet is what few want to do. */
enum class Action(
    val label: String,
    val isQuiet: Boolean = false,
) {
    JOIN("Join a cluster"),
    STOP("Stop searching", isQuiet = true),
    LEAVE("Leave the cluster", isQuiet = true),
    ALLOW("Allow the local network"),
    APP_SETTINGS("Open the settings"),
    NETWORK_SETTINGS("Network settings"),
    JOIN_LINK("Join this cluster"),
    DISMISS_LINK("Not now", isQuiet = true),
    GET_MODEL("Get a small model"),
    STOP_GETTING("Stop", isQuiet = true),
}
