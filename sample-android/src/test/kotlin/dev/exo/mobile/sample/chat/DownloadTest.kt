package dev.exo.mobile.sample.chat

import dev.exo.mobile.BackendKind
import dev.exo.mobile.ErrorKind
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.sample.FakeHub
import dev.exo.mobile.sample.words.Action
import dev.exo.mobile.sample.words.Tone
import dev.exo.mobile.sample.words.fetchingCard
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import java.util.concurrent.CountDownLatch
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** A model on its way through the real library, from a hub that is this test. */
class DownloadTest {
    @get:Rule
    val folder = TemporaryFolder()

    private val hub = FakeHub()

    private class Scene(
        val shelf: ModelShelf,
        val download: Download,
    ) {
        suspend fun becomes(isIt: (Fetching) -> Boolean) = download.stage.first(isIt)

        val models get() =
            shelf.seen.value.models
                .orEmpty()
                .map { it.id }
    }

    private fun scene(story: suspend Scene.() -> Unit) =
        runBlocking {
            val job = Job()
            val scope = CoroutineScope(coroutineContext + job)
            val shelf = ModelShelf(folder.root, GpuOptions(BackendKind.CPU), scope)
            try {
                Scene(shelf, Download(shelf, scope, hub)).story()
            } finally {
                job.cancelAndJoin()
                shelf.close()
            }
        }

    @Test
    fun `a model comes, and is on the shelf`() =
        scene {
            download.begin()
            becomes { it is Fetching.Idle }
            assertEquals(listOf(Download.SMALL), models)
        }

    @Test
    fun `who stops keeps what came, and goes on from there`() {
        val rest = CountDownLatch(1)
        hub.holdsBack = rest
        scene {
            download.begin()
            becomes { it is Fetching.Coming && (it.progress?.fresh ?: 0) > 0 }
            download.stop()
            assertEquals(Action.GET_MODEL, fetchingCard(download.stage.value).action)
            rest.countDown()
        }
        scene {
            assertTrue(models.isEmpty())
            download.begin()
            val begun = assertIs<Fetching.Coming>(becomes { it is Fetching.Coming && (it.progress?.total ?: 0) > 0 })
            assertTrue(begun.progress!!.done > begun.progress!!.fresh, "it was there before: ${begun.progress}")
            becomes { it is Fetching.Idle }
            assertEquals(listOf(Download.SMALL), models)
        }
    }

    @Test
    fun `without a network it says so, and can be tried again`() {
        hub.isOnline = false
        scene {
            download.begin()
            val failed = assertIs<Fetching.Failed>(becomes { it is Fetching.Failed })
            assertEquals(ErrorKind.UNREACHABLE, failed.kind)
            val card = fetchingCard(failed)
            assertEquals(Tone.BAD to Action.GET_MODEL, card.tone to card.action)
            assertContains(card.sentence, "online")
            hub.isOnline = true
            download.begin()
            becomes { it is Fetching.Idle }
        }
    }
}
