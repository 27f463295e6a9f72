/* Bulk bytes of libexo_mobile, by pointer: for Swift, Python and C.
 *
 * Everything else of the library is called through its UniFFI bindings. Those copy byte arrays; these functions copy
 * once, between the caller's memory and ours. `GpuBuffer.handle` of the bindings tells the handle. It is never
 * used twice: a handle of a buffer that was freed is an error and not a crash.
 *
 * All may be called from any thread. They return when the bytes are copied.
 */
#ifndef EXO_MOBILE_BYTES_H
#define EXO_MOBILE_BYTES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copies `length` bytes into the buffer with this handle, from its byte `offset` on.
 *
 * handle    the buffer
 * offset    where to begin in it, in bytes
 * bytes     `length` bytes that nobody writes meanwhile; may be null if `length` is 0
 * length    how many
 * why       `why_size` bytes of the caller's own for what went wrong, in UTF-8, cut to fit and ended by a zero; left as
 *           they are if nothing did; may be null if `why_size` is 0
 * why_size  how many; 512 is plenty
 *
 * Returns 0, or the number of an `ErrorKind`: its place in the list of the bindings, from 1 on. 1 is an argument that
 * can never work, such as a range outside of the buffer; 2 is a buffer that was freed, or never was.
 */
int32_t exo_buffer_write(uint64_t handle, uint64_t offset, const uint8_t *bytes, uint64_t length, uint8_t *why,
                         uint64_t why_size);

/* Copies `length` bytes out of the buffer with this handle, from its byte `offset` on, to `bytes`.
 *
 * bytes     `length` initialised bytes that nobody else uses meanwhile; may be null if `length` is 0
 *
 * Everything else is as for `exo_buffer_write`. If it fails, some of the bytes may have been written.
 */
int32_t exo_buffer_read(uint64_t handle, uint64_t offset, uint8_t *bytes, uint64_t length, uint8_t *why,
                        uint64_t why_size);

/* Hands `length` bytes of a server's answer to the receiver with this handle (`FetchReceiver.handle` of the bindings).
 * Blocks while there is no room for them: that is how a server is slowed down.
 *
 * Returns 0, or -1 if nothing more is wanted: then close the connection and return. Everything else is as for
 * `exo_buffer_write`.
 */
int32_t exo_receiver_chunk(uint64_t handle, const uint8_t *bytes, uint64_t length, uint8_t *why, uint64_t why_size);

#ifdef __cplusplus
}
#endif

#endif
