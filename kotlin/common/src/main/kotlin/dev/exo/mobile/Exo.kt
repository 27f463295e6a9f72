package dev.exo.mobile

import dev.exo.mobile.core.about as coreAbout
import dev.exo.mobile.core.place as corePlace
import dev.exo.mobile.core.provokeFault as coreProvokeFault
import dev.exo.mobile.core.readLink as coreReadLink

/**
 * The Exo Mobile SDK: what needs neither a cluster nor a GPU.
 *
 * [ExoNode.join] makes this device a member of a cluster, [Gpu.open] opens its GPU, [ModelHost.open] asks models on it.
 */
public object Exo {
    /** What this library is. */
    public fun about(): About = calling { coreAbout() }

    /**
     * Reads a link such as `exo://192.168.1.7?ns=home`, or a bare address. Nothing is resolved or sent: show it to a person,
     * and give it to [JoinOptions.confirmedLink] once they agree.
     *
     * @throws ExoException of the kind `INVALID_ARGUMENT` that says what to write instead.
     */
    public fun readLink(text: String): LinkPreview = calling { coreReadLink(text) }.toLinkPreview()

    /**
     * Solves a placement problem that is given as JSON, and answers in JSON: for programs that plan for a cluster of their
     * own. [ExoNode.plan] plans for the one that was joined.
     */
    public fun place(problem: String): String = calling { corePlace(problem) }

    /**
     * Fails inside the library, which must reach the app as an [ExoException] of the kind `FAULT` and nothing worse. For
     * tests of what an app does when it meets one.
     *
     * @throws ExoException always.
     */
    public fun provokeFault(): Unit = calling { coreProvokeFault() }
}
