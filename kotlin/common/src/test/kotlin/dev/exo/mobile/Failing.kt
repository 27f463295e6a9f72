package dev.exo.mobile

import kotlin.test.assertEquals
import kotlin.test.assertFailsWith

/** The exception that a call must throw. */
inline fun failsAs(
    kind: ErrorKind,
    call: () -> Unit,
): ExoException = assertFailsWith<ExoException> { call() }.also { assertEquals(kind, it.kind, "$it") }
