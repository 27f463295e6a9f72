/* Calls the library as a C program does, with what the header says: prints the kinds and the words that came. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "exo_mobile_bytes.h"

/* The compiler refuses these lines if the header declares anything else. */
static int32_t (*const write_bytes)(uint64_t, uint64_t, const uint8_t *, uint64_t, uint8_t *, uint64_t) =
    exo_buffer_write;
static int32_t (*const read_bytes)(uint64_t, uint64_t, uint8_t *, uint64_t, uint8_t *, uint64_t) = exo_buffer_read;

int main(void) {
    uint8_t bytes[8] = {0}, why[24];
    memset(why, 0xFF, sizeof why);
    int32_t kind = write_bytes(0, 0, bytes, sizeof bytes, why, sizeof why);
    printf("%" PRId32 " %s\n", kind, (const char *)why);
    kind = read_bytes(0, 0, NULL, 8, NULL, 0);
    printf("%" PRId32 "\n", kind);
    return 0;
}
