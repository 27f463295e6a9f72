package dev.exo.mobile.sample.words

import dev.exo.mobile.Cluster
import dev.exo.mobile.ClusterNode
import dev.exo.mobile.LinkPreview
import dev.exo.mobile.NetworkKind
import dev.exo.mobile.NodeState
import dev.exo.mobile.Provider
import dev.exo.mobile.SearchActivity
import dev.exo.mobile.SearchStatus
import dev.exo.mobile.android.LocalNetworkPermission
import dev.exo.mobile.valueOrNull
import dev.exo.mobile.android.LocalNetworkPermission.State as Permission

/** The screen *Cluster*: how the membership stands, and with whom. [offered] is a link that waits for the owner's yes. */
fun clusterCards(
    seen: Seen,
    permission: Permission,
    offered: LinkPreview? = null,
): List<Card> = listOfNotNull(offered?.let(::question)) + standing(seen, permission)

private fun standing(
    seen: Seen,
    permission: Permission,
): List<Card> {
    val member = seen.member
    return when {
        permission == Permission.DENIED -> {
            listOf(blocked(permission, "Android blocks the local network", Action.ALLOW))
        }

        permission == Permission.DENIED_FOR_GOOD -> {
            listOf(
                blocked(permission, "The local network was refused", Action.APP_SETTINGS),
            )
        }

        member == null || member.state is NodeState.Left -> {
            listOf(alone(seen))
        }

        else -> {
            ofMember(member, seen)
        }
    }
}

/** Anybody can make a link. So it says what it would do, and nothing is sent before the owner agrees. */
private fun question(link: LinkPreview) =
    Card.Standing(
        Tone.WARN,
        "Join this cluster?",
        "A link asks this phone to connect to ${link.host}, port ${link.port}" +
            (link.namespace?.let { ", in the cluster “$it”" } ?: "") +
            ". Nothing was sent yet. Agree only if you know who gave you the link.",
        action = Action.JOIN_LINK,
        other = Action.DISMISS_LINK,
    )

private fun blocked(
    permission: Permission,
    headline: String,
    action: Action,
) = Card.Standing(
    if (permission == Permission.DENIED) Tone.WARN else Tone.BAD,
    headline,
    LocalNetworkPermission.explain(permission),
    action = action,
)

private fun alone(seen: Seen) =
    seen.fault?.let { Card.Standing(Tone.BAD, "It ended by itself", sentence(it.message), action = Action.JOIN) }
        ?: Card.Standing(
            Tone.CALM,
            "Not in a cluster",
            "This phone can find the exo in your network and join it. Others then see its name, its memory and how warm it is.",
            action = Action.JOIN,
        )

private fun ofMember(
    member: Member,
    seen: Seen,
): List<Card> =
    when (val state = member.state) {
        is NodeState.Searching -> {
            listOf(searching(seen), ways(member.search))
        }

        is NodeState.Connecting -> {
            listOf(busy("Connecting", "A cluster answered at ${state.to}."), ways(member.search))
        }

        is NodeState.Joining -> {
            listOf(busy("Joining", "Connected. Waiting until the cluster knows this phone."))
        }

        is NodeState.Joined -> {
            listOf(joined(state, member.cluster)) + inside(member.cluster)
        }

        is NodeState.ListeningOnly -> {
            listOf(
                Card.Standing(
                    Tone.WARN,
                    "Listening only",
                    "${sentence(state.why)} To harm nobody, this phone hears the cluster and sends nothing.",
                    action = Action.LEAVE,
                ),
            ) + inside(member.cluster)
        }

        is NodeState.Degraded -> {
            listOf(
                Card.Standing(
                    Tone.WARN,
                    "Being repaired",
                    sentence(state.why),
                    isBusy = true,
                    action = Action.LEAVE,
                ),
            ) + inside(member.cluster)
        }

        is NodeState.Draining -> {
            listOf(
                Card.Standing(Tone.CALM, "Leaving", "Saying goodbye, so that nobody waits for this phone.", isBusy = true),
            )
        }

        is NodeState.Failed -> {
            listOf(Card.Standing(Tone.BAD, "It ended by itself", sentence(state.why), action = Action.JOIN))
        }

        is NodeState.Left -> {
            emptyList()
        }
    }

private fun searching(seen: Seen): Card =
    if (seen.readings
            ?.network
            ?.kind
            ?.valueOrNull == NetworkKind.NONE
    ) {
        Card.Standing(
            Tone.WARN,
            "No network",
            "Connect to the Wi-Fi in which exo runs. The search goes on by itself.",
            action = Action.NETWORK_SETTINGS,
            other = Action.STOP,
        )
    } else {
        busy("Searching", "Looking for exo in every way that Android allows. The first that answers wins.", Action.STOP)
    }

private fun busy(
    headline: String,
    sentence: String,
    action: Action = Action.LEAVE,
) = Card.Standing(Tone.CALM, headline, sentence, isBusy = true, action = action)

private fun joined(
    state: NodeState.Joined,
    cluster: Cluster?,
): Card {
    val master = cluster?.nodes?.find { it.id == cluster.master }
    val of = if (master == null) "A cluster" else "The cluster of ${called(master)}"
    return Card.Standing(Tone.GOOD, "Joined", "$of, with ${counted(state.nodes, "device")}.", action = Action.LEAVE)
}

/** Each way of searching that was asked for, with the library's own reason. */
private fun ways(search: List<SearchStatus>) =
    Card.Lines(
        "How it is searched",
        search
            .filter { it.activity != SearchActivity.OFF }
            .map { Line(toneOf(it.activity), wayOf(it.provider), sentence(it.note)) },
    )

private fun toneOf(activity: SearchActivity) =
    when (activity) {
        SearchActivity.OFF, SearchActivity.SEARCHING -> Tone.CALM
        SearchActivity.BLOCKED -> Tone.WARN
        SearchActivity.FOUND -> Tone.GOOD
    }

private fun wayOf(provider: Provider) =
    when (provider) {
        Provider.LOOPBACK -> "On this phone"
        Provider.MULTICAST -> "Calling to all (multicast)"
        Provider.UNICAST -> "Asking each host"
        Provider.DNS_SD -> "Announced services (DNS-SD)"
        Provider.LINK -> "By your link"
    }

private fun inside(cluster: Cluster?): List<Card> {
    if (cluster == null || cluster.nodes.isEmpty()) return emptyList()
    val nodes = cluster.nodes.sortedWith(compareBy({ it.id != cluster.master }, { !it.isThisDevice }, { it.name }, { it.id }))
    val devices = Card.Lines("In the cluster", nodes.map { lineOf(it, isMaster = it.id == cluster.master) })
    val models =
        Card.Lines(
            "Models that run",
            cluster.instances.map { Line(Tone.GOOD, it.model, "On ${counted(it.nodes.size, "device")}.") },
        )
    return if (cluster.instances.isEmpty()) listOf(devices) else listOf(devices, models)
}

private fun lineOf(
    node: ClusterNode,
    isMaster: Boolean,
): Line {
    val role = listOfNotNull("this phone".takeIf { node.isThisDevice }, "master".takeIf { isMaster }).joinToString(", ")
    val machine = listOfNotNull(node.model, node.osVersion).filterNot { it.startsWith("Unknown") }.joinToString(", ")
    val detail = listOf(role, machine, shortId(node.id)).filter { it.isNotEmpty() }.joinToString(" · ")
    return Line(
        if (node.isThisDevice) Tone.GOOD else Tone.CALM,
        called(node),
        detail.replaceFirstChar(Char::titlecase),
        node.memoryTotal?.let(::bytes) ?: "",
    )
}

private fun called(node: ClusterNode) = node.name ?: "node ${shortId(node.id)}"

/** Enough of an id to tell nodes apart. */
fun shortId(id: String): String = id.take(8)
