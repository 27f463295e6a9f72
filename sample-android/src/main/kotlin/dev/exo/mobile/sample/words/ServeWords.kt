package dev.exo.mobile.sample.words

import dev.exo.mobile.ShelvedModel
import dev.exo.mobile.valueOrNull

/** A switch for each model that the cluster could ask, with what that costs: it is read before it is turned on. */
fun serveCards(
    models: List<ShelvedModel>,
    seen: Seen,
): List<Card> =
    models.filter { it.refusal == null }.map { model ->
        val costs = listOf("Memory: ${memoryFor(model, seen)}", "Heat: ${heatFor(seen)}", "Battery: ${batteryFor(seen)}")
        Card.Serve(model.id, "Serve ${modelName(model.id)}", costs.joinToString("\n"), model.isOffered)
    }

private fun memoryFor(
    model: ShelvedModel,
    seen: Seen,
): String {
    val takes = model.memory?.let { "${bytes(it)} while the cluster asks it" } ?: "not known before it is loaded"
    val free =
        seen.readings
            ?.memory
            ?.available
            ?.valueOrNull
            ?.let { "; ${bytes(it)} are free" }
    return "$takes${free.orEmpty()}."
}

private fun heatFor(seen: Seen): String {
    val now = seen.condition?.let { " ${paceOf(it.heat.level)}" } ?: " Too warm, it rests by itself."
    return "answering warms the phone.$now"
}

private fun batteryFor(seen: Seen): String {
    val battery = seen.readings?.battery
    val level = battery?.level?.valueOrNull?.let(::percent) ?: "not known how full"
    val drains =
        when (battery?.charging?.valueOrNull) {
            true -> "being charged, which answering slows down"
            false -> "not being charged, and answering drains it"
            null -> "answering drains it"
        }
    return "$level, $drains."
}
