#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <zlib.h>

/// Begins to inflate raw deflate data (RFC 1951); NULL where there is no memory.
static inline void *tt_inflate_begin(void) {
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, -15) != Z_OK) {
        free(stream);
        stream = NULL;
    }
    return stream;
}

/// Inflates some bytes. Sets how many were taken and given; returns 1 at the end of the data, 0 where it goes on, and -1 where
/// the data are damaged.
static inline int tt_inflate_step(void *handle, const uint8_t *from, size_t count, size_t *taken, uint8_t *into,
                                  size_t capacity, size_t *given) {
    z_stream *stream = handle;
    stream->next_in = (Bytef *)from;
    stream->avail_in = (uInt)count;
    stream->next_out = into;
    stream->avail_out = (uInt)capacity;
    int result = inflate(stream, Z_NO_FLUSH);
    *taken = count - stream->avail_in;
    *given = capacity - stream->avail_out;
    if (result == Z_STREAM_END) return 1;
    return result == Z_OK || result == Z_BUF_ERROR ? 0 : -1;
}

/// Ends inflating, whether or not all was inflated.
static inline void tt_inflate_end(void *handle) {
    inflateEnd(handle);
    free(handle);
}

/// Adds bytes to a CRC-32 (ISO 3309), which begins with 0.
static inline uint32_t tt_inflate_checksum(uint32_t checksum, const uint8_t *bytes, size_t count) {
    return (uint32_t)crc32_z(checksum, bytes, count);
}
