// Bulk bytes of a device buffer, by pointer: copied once, into the device's memory or out of it.
//
// A buffer is known by its handle (GpuBuffer.handle). A handle is never used twice; one of a buffer that was freed, or
// of none that ever was, is an error and not a crash.
//
// Both return 0, or the number of an error kind: its place in ErrorKind, from 1 on. Then the first why_size bytes at
// why hold what happened, in UTF-8, ended by a zero. A pointer may be null if its length is 0.

#ifndef EXO_MOBILE_BYTES_H
#define EXO_MOBILE_BYTES_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Copies length bytes into the buffer, from its byte offset on. Nobody may write them meanwhile.
int32_t exo_buffer_write(uint64_t handle, uint64_t offset, const uint8_t *bytes, uint64_t length, uint8_t *why,
                         uint64_t why_size);

// Copies length bytes out of the buffer, from its byte offset on. They must be initialised, and nobody else may use
// them meanwhile.
int32_t exo_buffer_read(uint64_t handle, uint64_t offset, uint8_t *bytes, uint64_t length, uint8_t *why,
                        uint64_t why_size);

#ifdef __cplusplus
}
#endif

#endif
