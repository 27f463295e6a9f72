package dev.exo.mobile.android

import android.content.Context
import android.os.Handler
import android.os.Looper
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.ExoException
import dev.exo.mobile.ExoNode
import dev.exo.mobile.NodeState
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.NonCancellable
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.asCoroutineDispatcher
import kotlinx.coroutines.cancel
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull
import java.util.concurrent.Executor
import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds

/**
 * The course of a service: join, show each state, leave, end. Everything but waiting happens on the main thread.
 *
 * [ended] is called once a course, after its node was closed; with the reason if nobody asked for the end.
 */
internal class ServiceCourse(
    private val context: Context,
    private val joining: Joining,
    private val show: (NodeState, ExoNode?) -> Unit,
    private val ended: (ExoException?) -> Unit,
) {
    private val handler = Handler(Looper.getMainLooper())
    private val scope = CoroutineScope(SupervisorJob() + Executor { handler.post(it) }.asCoroutineDispatcher())
    private var running: Job? = null
    private var stopping: Job? = null

    @Volatile
    private var member: Membership? = null

    val isRunning: Boolean get() = running != null
    val isStopping: Boolean get() = stopping != null

    /** Begins, unless a course is running. One that is stopping ends first: then [ended] is the time to begin again. */
    fun start(wanted: ExoNodeService.Wanted) {
        if (running != null || stopping != null) return
        running =
            scope.launch {
                val why = run(wanted)
                running = null
                if (stopping == null) finish(why)
            }
    }

    /** Leaves within this time, and ends. Once or again. */
    fun stop(within: Duration) {
        if (stopping != null) return
        stopping =
            scope.launch {
                running?.cancelAndJoin()
                running = null
                member?.let { leave(it, within) }
                finish(null)
            }
    }

    /** The system ends the service, ready or not. */
    fun destroy() {
        scope.cancel()
        val left = member ?: return
        member = null
        CoroutineScope(joining.waiting).launch { left.close() }
    }

    /** Joins and follows the node until it is over. Gives the reason why, if there is one. */
    private suspend fun run(wanted: ExoNodeService.Wanted): ExoException? {
        try {
            // Whatever happens meanwhile: a node that has joined must be known, or nobody would close it.
            withContext(joining.waiting + NonCancellable) { member = joining.join(context, wanted.options, wanted.platform) }
            val member = checkNotNull(member)
            val hearing = scope.launch { MulticastSearch.hear(member.searches, context) }
            var last: NodeState = NodeState.Searching
            try {
                member.states.collect {
                    last = it
                    show(it, member.node)
                }
            } finally {
                hearing.cancel()
            }
            return (last as? NodeState.Failed)?.let { ExoException(ErrorKind.FAULT, it.why) }
        } catch (failed: ExoException) {
            return failed
        }
    }

    private suspend fun leave(
        member: Membership,
        within: Duration,
    ) {
        show(NodeState.Draining, member.node)
        withContext(joining.waiting) {
            try {
                withTimeoutOrNull(within + 1.seconds) { member.leave(within) }
            } catch (_: ExoException) {
                // Nobody heard it, or it was over already: it has left all the same.
            }
        }
    }

    private suspend fun finish(why: ExoException?) {
        member?.let { withContext(joining.waiting + NonCancellable) { it.close() } }
        member = null
        stopping = null
        ended(why)
    }
}
