package dev.exo.mobile

import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.onEach
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import org.junit.jupiter.api.AfterAll
import org.junit.jupiter.api.BeforeAll
import java.util.concurrent.atomic.AtomicInteger
import kotlin.test.AfterTest
import kotlin.test.Test
import kotlin.test.assertEquals
import kotlin.test.assertIs
import kotlin.test.assertTrue

/** What a model says, as it says it. */
class AnswerTest {
    private val model = runBlocking { host.load(TINY) }

    @AfterTest
    fun close() {
        model.close()
        eventually("its memory is given back") { host.used == 0L }
    }

    private suspend fun pieces(question: Question) = model.ask(question).toList()

    private val List<AnswerPiece>.text get() = filterIsInstance<AnswerPiece.Text>().joinToString("") { it.text }

    @Test
    fun `an answer is what was read, what is said, and the end with what it took`() =
        runBlocking {
            val all = pieces(question(6))
            val read = assertIs<AnswerPiece.Reading>(all.first { it is AnswerPiece.Reading })
            val end = assertIs<AnswerPiece.End>(all.last()).end
            assertTrue(all.text.isNotEmpty())
            assertEquals(Finish.LENGTH, end.finish)
            assertEquals(6, end.completionTokens)
            assertEquals(read.total, end.promptTokens)
            assertTrue(end.firstAfter <= end.took)
            assertEquals(1, all.count { it is AnswerPiece.End })
        }

    @Test
    fun `the same question has the same answer, in one piece too`() =
        runBlocking {
            val text = pieces(question(12)).text
            assertEquals(text, pieces(question(12)).text)
            assertEquals(text, model.answer(question(12)))
        }

    @Test
    fun `a seed repeats what chance would choose`() =
        runBlocking {
            val chance = question(24).copy(temperature = 1.5, topP = 0.95, topK = 50, minP = 0.0, seed = 7)
            assertEquals(model.answer(chance), model.answer(chance))
            val others = (1L..5L).map { model.answer(chance.copy(seed = it)) }
            assertTrue(others.toSet().size > 1, "$others")
        }

    @Test
    fun `an answer ends before a text at which it shall stop`() =
        runBlocking {
            val whole = model.answer(question(40))
            val stop = whole.substring(whole.length / 2).first { it.isLetterOrDigit() }.toString()
            val all = pieces(question(40).copy(stop = listOf(stop)))
            assertEquals(whole.substringBefore(stop), all.text)
            assertEquals(Finish.STOP, assertIs<AnswerPiece.End>(all.last()).end.finish)
        }

    @Test
    fun `a conversation goes on where it was`() =
        runBlocking {
            val first = question(8)
            val said = model.answer(first)
            val more = listOf(ChatMessage(Role.ASSISTANT, said), ChatMessage(Role.USER, "And snow?"))
            val end = assertIs<AnswerPiece.End>(pieces(first.copy(messages = first.messages + more)).last()).end
            assertTrue(
                end.promptTokens >
                    pieces(first)
                        .filterIsInstance<AnswerPiece.End>()
                        .single()
                        .end.promptTokens,
            )
        }

    @Test
    fun `several are answered at once, each with its own words`() =
        runBlocking {
            val texts = List(4) { "Question $it" }
            val alone = texts.map { model.answer(question(16, it)) }
            val together = texts.map { async(Dispatchers.IO) { model.answer(question(16, it)) } }.awaitAll()
            assertEquals(alone, together)
        }

    @Test
    fun `who stops collecting stops the computing, and the next is answered`() =
        runBlocking {
            val heard = AtomicInteger()
            val begun = CompletableDeferred<Unit>()
            val collector =
                launch(Dispatchers.IO) {
                    model.ask(question(LONG)).collect {
                        if (heard.incrementAndGet() == 5) begun.complete(Unit)
                    }
                }
            begun.await()
            collector.cancelAndJoin()
            assertTrue(heard.get() < LONG / 2, "cancelled at once, after ${heard.get()} pieces")
            assertTrue(model.answer(question(3)).isNotEmpty())
        }

    @Test
    fun `who takes only the first pieces stops the computing too`() =
        runBlocking {
            assertEquals(
                3,
                model
                    .ask(question(LONG))
                    .take(3)
                    .toList()
                    .size,
            )
            assertTrue(model.answer(question(3)).isNotEmpty())
        }

    @Test
    fun `a whole answer that nobody waits for any more is not computed`() =
        runBlocking {
            val waiting = async(Dispatchers.IO) { model.answer(question(LONG)) }
            model.ask(question(1)).first()
            waiting.cancelAndJoin()
            assertTrue(model.answer(question(3)).isNotEmpty())
        }

    @Test
    fun `a model that is closed ends its answers with an error, and those of others go on`() =
        runBlocking {
            val own = host.load(TINY)
            val begun = CompletableDeferred<Unit>()
            val ended =
                async(Dispatchers.IO) {
                    failsAs(ErrorKind.CLOSED) { own.ask(question(LONG)).onEach { begun.complete(Unit) }.collect { } }
                }
            val other = async(Dispatchers.IO) { model.answer(question(16)) }
            begun.await()
            own.close()
            ended.await()
            assertTrue(other.await().isNotEmpty())
            failsAs(ErrorKind.CLOSED) { own.answer(question(1)) }
            own.close()
        }

    @Test
    fun `a host that is closed ends its answers with an error`() =
        runBlocking {
            val other = openHost()
            val own = other.load(TINY)
            val begun = CompletableDeferred<Unit>()
            val ended =
                async(Dispatchers.IO) {
                    failsAs(ErrorKind.CLOSED) { own.ask(question(LONG)).onEach { begun.complete(Unit) }.collect { } }
                }
            begun.await()
            other.close()
            ended.await()
            own.close()
        }

    @Test
    fun `a question that cannot be asked is refused, and the next is answered`() =
        runBlocking {
            failsAs(ErrorKind.INVALID_ARGUMENT) { model.answer(question(-1)) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { model.answer(question(1).copy(topK = -1)) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { model.answer(question(1).copy(temperature = -1.0)) }
            failsAs(ErrorKind.INVALID_ARGUMENT) { model.answer(question(1, "rain ".repeat(10_000))) }
            assertTrue(model.answer(question(3)).isNotEmpty())
        }

    private companion object {
        const val LONG = 1500
        lateinit var host: ModelHost

        @JvmStatic
        @BeforeAll
        fun begin() {
            host = openHost()
        }

        @JvmStatic
        @AfterAll
        fun end() = host.close()
    }
}
