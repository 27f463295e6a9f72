package dev.exo.mobile.sample.words

import dev.exo.mobile.BackendKind
import dev.exo.mobile.Condition
import dev.exo.mobile.GpuDevice
import dev.exo.mobile.Heat
import dev.exo.mobile.HeatUnit
import dev.exo.mobile.Level
import dev.exo.mobile.Reading
import dev.exo.mobile.Readings
import dev.exo.mobile.Rule
import dev.exo.mobile.RuleVerdict
import dev.exo.mobile.ShelvedModel
import dev.exo.mobile.WorkState
import dev.exo.mobile.valueOrNull

/** The screen *This phone*: what it has, how it is, and what its owner's rules make of that. */
fun phoneCards(
    seen: Seen,
    models: List<ShelvedModel> = emptyList(),
): List<Card> {
    val readings = seen.readings
    val standing = listOfNotNull(work(seen.condition), seen.condition?.let(::rules))
    val figures =
        listOfNotNull(
            seen.condition?.let { heatOf(it, seen.heat) },
            gpu(seen.gpu),
            readings?.let(::memory),
            readings?.let(::battery),
            seen.member?.let { Card.Gauge("Node id", shortId(it.id), it.id) },
        )
    return standing + serveCards(models, seen) + figures
}

private fun work(condition: Condition?): Card =
    when {
        condition == null -> {
            Card.Standing(
                Tone.CALM,
                "Nobody looks",
                "Once this phone searches for a cluster, its heat is forecast here, and your rules are weighed.",
            )
        }

        condition.work == WorkState.DRAINING -> {
            Card.Standing(Tone.WARN, "Coming to rest", "No new work is taken. What is under way may finish.")
        }

        !condition.allowance.admit -> {
            Card.Standing(Tone.WARN, "At rest", "Your rules allow no work now.")
        }

        else -> {
            Card.Standing(Tone.GOOD, "Ready to work", "Work may use ${percent(condition.share)} of this phone.")
        }
    }

/** Why not more, rule by rule. */
private fun rules(condition: Condition): Card? =
    condition.allowance.reasons.takeIf { it.isNotEmpty() }?.let { reasons ->
        val lines =
            reasons.map { reason ->
                val (tone, verdict) =
                    when (reason.verdict) {
                        RuleVerdict.LIMITED -> Tone.CALM to "In part"
                        RuleVerdict.DENIED -> Tone.WARN to "No"
                        RuleVerdict.UNKNOWN -> Tone.WARN to "Not known"
                    }
                Line(tone, nameOf(reason.rule), sentence(reason.words), verdict)
            }
        Card.Lines("What your rules say", lines)
    }

private fun nameOf(rule: Rule) =
    when (rule) {
        Rule.ONLY_WHILE_CHARGING -> "Charging"
        Rule.MIN_BATTERY -> "Battery"
        Rule.MAX_TEMPERATURE -> "Temperature"
        Rule.MAX_THERMAL_STATUS -> "Heat"
        Rule.WIFI_ONLY -> "Network"
        Rule.MEMORY_CAP -> "Memory"
        Rule.QUIET_HOURS -> "Quiet hours"
        Rule.FOREGROUND_ONLY -> "On the screen"
    }

private fun heatOf(
    condition: Condition,
    history: HeatHistory,
): Card {
    val heat = condition.heat
    val unit = history.unit
    val last = history.points.lastOrNull()
    val figure = if (unit == null || last == null) "No sensor told yet" else heat(last.value, unit)
    return Card.Heat("Heat", figure, heatNote(heat), heatCurve(history, heat.outlook))
}

private fun heatNote(heat: Heat): String {
    val outlook = heat.outlook
    val ahead =
        when {
            outlook == null -> {
                "No forecast yet."
            }

            // Levels are few: a band around one says nothing.
            outlook.unit == HeatUnit.LEVELS -> {
                "In ${minutes(outlook.horizon)}: ${heat(outlook.mean, outlook.unit)}."
            }

            else -> {
                "In ${minutes(outlook.horizon)}: ${heat(outlook.mean, outlook.unit)}, " +
                    "most likely between ${heat(outlook.low, outlook.unit)} and ${heat(outlook.high, outlook.unit)}."
            }
        }
    val limit = heat.timeToLimit?.let { " Too warm in ${minutes(it)}." } ?: ""
    return "$ahead$limit ${paceOf(heat.level)}"
}

internal fun paceOf(level: Level) =
    when (level) {
        Level.PAUSED -> "It rests until it has cooled down."
        Level.LOW -> "It does just enough to keep its place."
        Level.HALF -> "It works at about half its pace."
        Level.REDUCED -> "It works at four fifths of its pace."
        Level.EASED -> "It works a little less than it could."
        Level.FULL -> "It is cool enough for everything."
    }

private fun gpu(gpu: GpuSeen): Card =
    when (gpu) {
        is GpuSeen.Unopened -> {
            Card.Gauge("GPU", "Being opened", "Its driver is asked what it can do.")
        }

        is GpuSeen.Refused -> {
            Card.Gauge("GPU", "None could be opened", sentence(gpu.why))
        }

        is GpuSeen.Device -> {
            val memory = "${bytes(gpu.memory.budget ?: gpu.device.memoryBytes)} for this app"
            Card.Gauge("GPU", gpu.device.name, "$memory, ${drivenBy(gpu.device)}.")
        }
    }

private fun drivenBy(device: GpuDevice) =
    when (device.backend) {
        BackendKind.VULKAN -> "driven by Vulkan ${device.apiVersion}"
        BackendKind.METAL -> "driven by Metal"
        BackendKind.CPU -> "which is the processor: no GPU could be used"
    }

private fun memory(readings: Readings): Card {
    val total = readings.memory.total
    val available = readings.memory.available
    val all = total.valueOrNull
    val free = available.valueOrNull
    return when {
        all == null -> Card.Gauge("Memory", "Not known", why(total))
        free == null -> Card.Gauge("Memory", bytes(all), why(available))
        else -> Card.Gauge("Memory", "${bytes(free)} free", "Of ${bytes(all)} in all.", 1 - free.toDouble() / all)
    }
}

private fun battery(readings: Readings): Card {
    val level = readings.battery.level
    val part = level.valueOrNull ?: return Card.Gauge("Battery", "Not known", why(level))
    val charging =
        when (readings.battery.charging.valueOrNull) {
            true -> "Being charged"
            false -> "Not being charged"
            null -> "Whether it is charged is not known"
        }
    val saving = if (readings.battery.powerSave.valueOrNull == true) ", and the phone saves power" else ""
    return Card.Gauge("Battery", percent(part), "$charging$saving.", part)
}

private fun why(reading: Reading<*>) = (reading as? Reading.Unavailable)?.let { sentence(it.why) } ?: ""
