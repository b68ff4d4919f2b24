#pragma once
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/// The maximum size, in bytes, to which `tt_gzip` compresses `count` bytes.
static inline size_t tt_gzip_bound(size_t count) {
    return compressBound(count) + 32;
}

/// Compresses bytes as one gzip member (RFC 1952) at a level from 1, the fastest, to 9, the smallest; returns the number
/// of bytes written, or 0 on failure.
static inline size_t tt_gzip(const uint8_t *bytes, size_t count, int level, uint8_t *into, size_t capacity) {
    z_stream stream = { 0 };
    // 15 bits of window, plus 16 for gzip's header.
    if (deflateInit2(&stream, level, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
    stream.next_in = (Bytef *)bytes;
    stream.avail_in = (uInt)count;
    stream.next_out = into;
    stream.avail_out = (uInt)capacity;
    int result = deflate(&stream, Z_FINISH);
    size_t written = stream.total_out;
    deflateEnd(&stream);
    return result == Z_STREAM_END ? written : 0;
}
