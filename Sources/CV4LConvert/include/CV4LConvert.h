#ifndef TINTYPE_CV4LCONVERT_H
#define TINTYPE_CV4LCONVERT_H

#include <stdint.h>

// A target of its own and no system library: headers that other C modules of ours include, too, stay in the .c file.

// Prepares to convert frames of an open video node (v4lconvert_create); null when it cannot.
void *tt_conversion_create(int descriptor);

// Gives it back (v4lconvert_destroy).
void tt_conversion_destroy(void *conversion);

// Converts a frame to YU12 without padding (v4lconvert_convert). The number of bytes written, or -1.
int tt_convert(void *conversion, uint32_t format, uint32_t width, uint32_t height, uint32_t bytes_per_line,
               const uint8_t *source, int count, uint8_t *target, int capacity);

#endif
