#ifndef TINTYPE_CV4LCONVERT_H
#define TINTYPE_CV4LCONVERT_H

#include <stdint.h>

// A target instead of a system library: headers that our other C modules include too stay in the .c file.

// Prepares to convert an open video node's frames (v4lconvert_create). Returns null on failure.
void *tt_conversion_create(int descriptor);

// Releases it (v4lconvert_destroy).
void tt_conversion_destroy(void *conversion);

// Converts a frame to YU12 without padding (v4lconvert_convert). Returns the number of bytes written, or -1.
int tt_convert(void *conversion, uint32_t format, uint32_t width, uint32_t height, uint32_t bytes_per_line,
               const uint8_t *source, int count, uint8_t *target, int capacity);

#endif
