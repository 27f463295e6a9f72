import dev.exo.mobile.ExoNode
import dev.exo.mobile.JoinOptions
import kotlinx.coroutines.flow.first

suspend fun main() =
    ExoNode.join(JoinOptions(name = "Ada's Pixel")).use { node ->
        val cluster = node.clusters.first { it.isComplete }
        cluster.nodes.forEach { println("${it.name} has ${it.memoryTotal} bytes") }
        node.leave()
    }
