package dev.exo.mobile

import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow

/**
 * A stream of the core as a flow: all of them go this way. Each collector opens one of its own; who stops collecting ends it
 * for real, also while it waits.
 */
internal fun <S : AutoCloseable, C : Any, T> pulled(
    open: () -> S,
    next: suspend S.() -> C?,
    cancel: S.() -> Unit,
    convert: (C) -> T,
): Flow<T> =
    flow {
        val stream = calling(open)
        try {
            while (true) {
                emit(convert(calling { stream.next() } ?: break))
            }
        } finally {
            stream.ended(cancel)
        }
    }
