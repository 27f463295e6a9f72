package dev.exo.mobile.sample.chat

import dev.exo.mobile.BackendKind
import dev.exo.mobile.GpuOptions
import dev.exo.mobile.Question
import dev.exo.mobile.Role
import dev.exo.mobile.sample.Models
import dev.exo.mobile.sample.words.chatPage
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Job
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import org.junit.Rule
import org.junit.Test
import org.junit.rules.TemporaryFolder
import kotlin.test.assertContains
import kotlin.test.assertEquals
import kotlin.test.assertFalse
import kotlin.test.assertNotNull
import kotlin.test.assertNull
import kotlin.test.assertTrue

/** A conversation through the real library, on the processor. */
class ChatTest {
    @get:Rule
    val folder = TemporaryFolder()

    private class Scene(
        val shelf: ModelShelf,
        val chat: Chat,
    ) {
        val page get() = chatPage(shelf.seen.value, chat.talk.value, chat.chosen, Fetching.Idle)

        /** Asks, and waits for the whole answer. */
        suspend fun asks(text: String): Talk {
            assertTrue(chat.send(text))
            return chat.talk.first { it.doing == null }
        }
    }

    private fun scene(
        tokens: Int = 12,
        story: suspend Scene.() -> Unit,
    ) = runBlocking {
        val job = Job()
        val scope = CoroutineScope(coroutineContext + job)
        val shelf = ModelShelf(folder.root, GpuOptions(BackendKind.CPU), scope)
        val chat = Chat(shelf, scope, Question(emptyList(), maxTokens = tokens, temperature = 0.0))
        try {
            shelf.opened()
            Scene(shelf, chat).story()
        } finally {
            job.cancelAndJoin()
            chat.stop()
            chat.letGo()
            shelf.close()
        }
    }

    @Test
    fun `an answer grows on the screen, and says at its end what it took`() {
        Models.put(folder.root)
        scene {
            assertTrue(chat.send("What is rain?"))
            val part = chat.talk.first { it.said.last().role == Role.ASSISTANT }
            val told = chat.talk.first { it.doing == null }
            assertEquals(listOf(Role.USER, Role.ASSISTANT), told.said.map { it.role })
            assertTrue(
                told.said
                    .last()
                    .text
                    .startsWith(part.said.last().text),
                "what was said stays",
            )
            assertEquals(
                12,
                told.said
                    .last()
                    .end
                    ?.completionTokens,
            )
            assertContains(page.bubbles.last().note, Regex("12 tokens, [0-9.]+ tokens a second, cut at its limit"))
        }
    }

    @Test
    fun `a conversation goes on with what was said, and its model is loaded once`() {
        Models.put(folder.root)
        scene {
            val first = asks("What is rain?").said.last().end
            val second = asks("And snow?").said.last().end
            assertTrue(assertNotNull(second).promptTokens > assertNotNull(first).promptTokens)
            val memory =
                shelf
                    .opened()
                    ?.models()
                    ?.single()
                    ?.memory
            assertEquals(memory, shelf.host?.used)
        }
    }

    @Test
    fun `who has heard enough stops it, and what was said stays`() {
        Models.put(folder.root)
        scene(tokens = 1500) {
            assertTrue(chat.send("What is rain?"))
            assertFalse(chat.send("And snow?"), "one after the other")
            chat.talk.first { it.said.last().role == Role.ASSISTANT }
            assertTrue(page.isAnswering)
            chat.stop()
            assertFalse(page.isAnswering)
            assertTrue(
                chat.talk.value.said
                    .last()
                    .isStopped,
            )
            assertEquals("Stopped", page.bubbles.last().note)
            chat.letGo()
            assertTrue(chat.send("And snow?"), "the next question is asked of a model that is loaded again")
            chat.talk.first { it.said.last().role == Role.ASSISTANT && it.said.size == 4 }
        }
    }

    @Test
    fun `a model that nobody wants any more is let go of when its answer has ended`() {
        Models.put(folder.root)
        scene {
            assertTrue(chat.send("What is rain?"))
            chat.letGo()
            val told = chat.talk.first { it.doing == null }
            assertNotNull(told.said.last().end, "it was answered to the end")
            assertEquals(emptyList(), shelf.host?.relieve(), "no model is loaded")
        }
    }

    @Test
    fun `a model that nobody wants any more is let go of when its answer is stopped`() {
        Models.put(folder.root)
        scene(tokens = 1500) {
            assertTrue(chat.send("What is rain?"))
            chat.talk.first { it.said.last().role == Role.ASSISTANT }
            chat.letGo()
            assertTrue(page.isAnswering)
            chat.stop()
            assertEquals(emptyList(), shelf.host?.relieve(), "no model is loaded")
        }
    }

    @Test
    fun `a question that cannot be answered says why, and the next one is`() {
        Models.put(folder.root)
        scene {
            assertNotNull(asks("rain ".repeat(10_000)).fault)
            assertEquals("No answer", page.standing?.headline)
            assertFalse(page.isAnswering)
            val next = asks("What is rain?")
            assertNull(next.fault)
            assertEquals(Role.ASSISTANT, next.said.last().role)
        }
    }

    @Test
    fun `a model that was taken away says which are there`() {
        Models.put(folder.root)
        scene {
            folder.root.resolve("exo-mobile--tiny-random").deleteRecursively()
            assertContains(assertNotNull(asks("What is rain?").fault), "is not on this device")
        }
    }

    @Test
    fun `without a model nobody is asked, and the screen says where to put one`() =
        scene {
            assertFalse(chat.send("What is rain?"))
            assertFalse(page.canAsk)
            assertEquals("No model yet", page.standing?.headline)
            Models.put(folder.root)
            shelf.opened()
            assertTrue(page.canAsk, "it is found once it is there")
        }

    @Test
    fun `another model answers once it was chosen`() {
        Models.put(folder.root)
        Models.put(folder.root, "exo-mobile/other")
        scene {
            assertEquals(2, page.models.size)
            val memory = assertNotNull(asks("What is rain?").let { shelf.host?.used })
            chat.choose(page.models.last())
            asks("And snow?")
            assertEquals(page.models.lastIndex, page.chosen)
            assertEquals(memory, shelf.host?.used, "the one before was let go of")
        }
    }
}
