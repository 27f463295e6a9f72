package dev.exo.mobile

import java.io.File
import java.util.TimeZone
import kotlin.time.Duration
import kotlin.time.Duration.Companion.hours
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import dev.exo.mobile.core.Founding as CoreFounding
import dev.exo.mobile.core.JoinOptions as CoreOptions
import dev.exo.mobile.core.LinkPreview as CoreLinkPreview

/**
 * How to join. Everything may be left out: then a stock exo is found in any way.
 *
 * @property name What people see in exo's dashboard; the platform's own name if left out.
 * @property dataDir Where the node keeps its identity and the hosts that it met. Left out, and without a [KeyStore], each run is
 *   a new node.
 * @property namespace The cluster's name, where it has one.
 * @property confirmedLink A link that a person saw and agreed to: see [Exo.readLink].
 * @property interfaceName Search on this interface alone.
 * @property only Search in these ways alone.
 * @property discoveryPort Where exo listens for a Hello, if not at its usual port.
 * @property policy What the owner allows.
 * @property utcOffset By how much the owner's clock is ahead of UTC, for quiet hours.
 * @property measureLinks Measure the links to other members of this SDK.
 * @property metrics Serve `GET /metrics` and `GET /telemetry` at this address, such as `127.0.0.1:9473`.
 * @property listenOnly Hear everything, say nothing.
 * @property allowUnknownBuild Send although the cluster's build is not known.
 * @property founding Form a cluster of phones while no exo is around.
 */
public data class JoinOptions(
    public val name: String? = null,
    public val dataDir: File? = null,
    public val namespace: String? = null,
    public val confirmedLink: LinkPreview? = null,
    public val interfaceName: String? = null,
    public val only: Set<Provider>? = null,
    public val discoveryPort: Int? = null,
    public val policy: Policy = Policy(),
    public val utcOffset: Duration = ownersUtcOffset(),
    public val measureLinks: Boolean = true,
    public val metrics: String? = null,
    public val listenOnly: Boolean = false,
    public val allowUnknownBuild: Boolean = false,
    public val founding: Founding? = null,
)

/**
 * A cluster of phones, formed while no exo is around.
 *
 * @property app Phones of other apps are not met.
 * @property router Where the router listens if this phone hosts; port 0 lets the system choose.
 * @property aloneAfter How long no exo must have been found before phones look for each other.
 */
public data class Founding(
    public val app: String,
    public val router: String = "0.0.0.0:0",
    public val aloneAfter: Duration = 10.seconds,
)

/**
 * What a link would do, to be shown to a person before anything is sent.
 *
 * @property link The link as it is written.
 * @property host The host that would be dialled.
 * @property port The port of its zenoh router.
 * @property namespace The name of its cluster, if the link has one.
 * @property api The port of its HTTP interface.
 */
public data class LinkPreview(
    public val link: String,
    public val host: String,
    public val port: Int,
    public val namespace: String?,
    public val api: Int,
)

private fun ownersUtcOffset(): Duration = TimeZone.getDefault().getOffset(System.currentTimeMillis()).milliseconds

internal fun JoinOptions.toCore() =
    CoreOptions(
        name = name,
        dataDir = dataDir?.path,
        namespace = namespace,
        confirmedLink = confirmedLink?.link,
        `interface` = interfaceName,
        only = only?.toList(),
        discoveryPort = discoveryPort?.asPort("discoveryPort"),
        policy = policy.toCore(),
        utcOffsetMinutes = utcOffset.asMinutes(),
        measureLinks = measureLinks,
        metrics = metrics,
        listenOnly = listenOnly,
        allowUnknownBuild = allowUnknownBuild,
        founding = founding?.toCore(),
    )

private fun Duration.asMinutes(): Short =
    if (absoluteValue <= 18.hours) {
        inWholeMinutes.toShort()
    } else {
        throw ExoException(ErrorKind.INVALID_ARGUMENT, "utcOffset is $this; no clock is more than 18 hours off")
    }

private fun Founding.toCore() = CoreFounding(app, router, aloneAfter.unsigned("aloneAfter"))

internal fun CoreLinkPreview.toLinkPreview() = LinkPreview(link, host, port.toInt(), namespace, api.toInt())
