package dev.exo.mobile

import dev.exo.mobile.core.AppLife as CoreLife
import dev.exo.mobile.core.Lifecycle as CoreLifecycle

/** Tells the library what becomes of the app. Called from a thread of its own. */
public interface Lifecycle {
    /** From now on, tell [life] what happens. What holds now is told too. */
    public fun watch(life: AppLife)

    /** Nothing needs to be told any more: the node has ended. */
    public fun unwatch()
}

/** Hears what becomes of the app, from any thread. What is told after the node has ended does nothing. */
public class AppLife internal constructor(
    private val core: CoreLife,
) {
    /** The app is on the screen, or is not any more. */
    public fun shown(shown: Boolean): Unit = calling { core.shown(shown) }

    /** These readings changed: look at them now, not when it is their turn. */
    public fun noticed(groups: Set<Group>): Unit = calling { core.noticed(groups.toList()) }
}

internal class AppLifecycle(
    private val lifecycle: Lifecycle,
) : CoreLifecycle {
    override fun watch(life: CoreLife): Unit = answering { lifecycle.watch(AppLife(life)) }

    override fun unwatch(): Unit = answering { lifecycle.unwatch() }
}
