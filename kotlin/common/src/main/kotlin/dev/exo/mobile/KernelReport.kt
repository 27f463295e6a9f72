package dev.exo.mobile

import kotlin.time.Duration
import kotlin.time.toKotlinDuration
import dev.exo.mobile.core.Calibration as CoreCalibration
import dev.exo.mobile.core.KernelReport as CoreReport
import dev.exo.mobile.core.SelfTestProgress as CoreProgress
import dev.exo.mobile.core.Verdict as CoreVerdict

/** What a self-test said of a kernel on this device. */
public sealed interface Verdict {
    /** Its answers are right. */
    public data object Trusted : Verdict

    /**
     * It gave a wrong answer; the CPU computes in its place.
     *
     * @property reason What came and what was expected.
     */
    public data class Wrong(
        public val reason: String,
    ) : Verdict

    /**
     * It could not be run; the CPU computes in its place.
     *
     * @property reason What the driver said.
     */
    public data class Failed(
        public val reason: String,
    ) : Verdict
}

/**
 * The outcome of one kernel's self-test.
 *
 * @property kernel The kernel.
 * @property verdict What was found.
 * @property worstError The largest error seen, as a part of the bound: 1 is the most that is trusted.
 * @property cases How many cases were computed.
 * @property elapsed How long they took.
 */
public data class KernelReport(
    public val kernel: String,
    public val verdict: Verdict,
    public val worstError: Double,
    public val cases: Int,
    public val elapsed: Duration,
)

/**
 * How far a self-test has come.
 *
 * @property done Kernels that are done.
 * @property total Kernels in all.
 * @property kernel The one that comes next.
 */
public data class SelfTestProgress(
    public val done: Int,
    public val total: Int,
    public val kernel: String,
)

/**
 * What a device can do, as our kernels see it.
 *
 * @property compute Floating-point operations a second.
 * @property memory Bytes a second that kernels read from memory.
 * @property decode Bytes a second of 4-bit weights, as for each token.
 * @property elapsed How long all of it took.
 */
public data class Calibration(
    public val compute: Speed,
    public val memory: Speed,
    public val decode: Speed,
    public val elapsed: Duration,
)

internal fun CoreReport.toKernelReport() =
    KernelReport(kernel, verdict.toVerdict(), worstError, cases.asInt(), elapsed.toKotlinDuration())

private fun CoreVerdict.toVerdict() =
    when (this) {
        is CoreVerdict.Trusted -> Verdict.Trusted
        is CoreVerdict.Wrong -> Verdict.Wrong(reason)
        is CoreVerdict.Failed -> Verdict.Failed(reason)
    }

internal fun CoreProgress.toSelfTestProgress() = SelfTestProgress(done.asInt(), total.asInt(), kernel)

internal fun CoreCalibration.toCalibration() = Calibration(compute, memory, decode, elapsed.toKotlinDuration())
