#ifndef TINTYPE_CVIPS_H
#define TINTYPE_CVIPS_H

#include <vips/vips.h>

// Every libvips operation is variadic with a terminating NULL: one function for each call used.

// Enables or disables loaders by class name.
static inline void tt_vips_block(const char *name, int is_blocked) { vips_operation_block_set(name, is_blocked); }

// Creates a source from a copy of bytes.
static inline VipsSource *tt_vips_source_of(const void *bytes, size_t count) {
    VipsBlob *blob = vips_blob_copy(bytes, count);
    VipsSource *source = vips_source_new_from_blob(blob);
    vips_area_unref(VIPS_AREA(blob));
    return source;
}

// Opens a picture without decoding its pixels.
static inline VipsImage *tt_vips_open(VipsSource *source) {
    return vips_image_new_from_source(source, "", "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// Decodes a picture as small as its format allows and fits it into a square: upright, sRGB, never enlarged.
static inline int tt_vips_thumbnail(VipsSource *source, VipsImage **out, int side) {
    return vips_thumbnail_source(
        source, out, side, "height", side, "size", VIPS_SIZE_DOWN, "export_profile", "srgb", NULL);
}

// Opens a JPEG that is decoded at 1/1, 1/2, 1/4 or 1/8.
static inline int tt_vips_open_jpeg(VipsSource *source, VipsImage **out, int shrink) {
    return vips_jpegload_source(source, out, "shrink", shrink, "access", VIPS_ACCESS_SEQUENTIAL, NULL);
}

// Fits an opened picture into a square: upright, sRGB, never enlarged.
static inline int tt_vips_thumbnail_of(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(
        in, out, side, "height", side, "size", VIPS_SIZE_DOWN, "export_profile", "srgb", NULL);
}

// Fits a picture into a square, never enlarged.
static inline int tt_vips_fit(VipsImage *in, VipsImage **out, int side) {
    return vips_thumbnail_image(in, out, side, "height", side, "size", VIPS_SIZE_DOWN, "no_rotate", TRUE, NULL);
}

// Rotates a picture upright according to its orientation.
static inline int tt_vips_upright(VipsImage *in, VipsImage **out) { return vips_autorot(in, out, NULL); }

// Rotates a picture by quarter turns.
static inline int tt_vips_turn(VipsImage *in, VipsImage **out, VipsAngle angle) {
    return vips_rot(in, out, angle, NULL);
}

// Converts to 8-bit sRGB through the embedded profile.
static inline int tt_vips_to_srgb_by_profile(VipsImage *in, VipsImage **out) {
    return vips_icc_transform(in, out, "srgb", "embedded", TRUE, "depth", 8, NULL);
}

// Converts to sRGB without a profile.
static inline int tt_vips_to_srgb(VipsImage *in, VipsImage **out) {
    return vips_colourspace(in, out, VIPS_INTERPRETATION_sRGB, NULL);
}

// Converts samples to 8 bits.
static inline int tt_vips_to_bytes(VipsImage *in, VipsImage **out) { return vips_cast_uchar(in, out, NULL); }

// Flattens transparency onto white.
static inline int tt_vips_on_white(VipsImage *in, VipsImage **out) {
    double white[3] = {255, 255, 255};
    VipsArrayDouble *background = vips_array_double_new(white, 3);
    int status = vips_flatten(in, out, "background", background, NULL);
    vips_area_unref(VIPS_AREA(background));
    return status;
}

// Adds an opaque alpha channel.
static inline int tt_vips_add_alpha(VipsImage *in, VipsImage **out) { return vips_addalpha(in, out, NULL); }

// Encodes a JPEG (baseline, 4:2:0) into memory that g_free releases.
static inline int tt_vips_jpeg(VipsImage *in, void **bytes, size_t *count, int quality, int is_bare) {
    return vips_jpegsave_buffer(in, bytes, count, "Q", quality, "strip", is_bare, NULL);
}

// Encodes a WebP into memory that g_free releases. The saver of libvips 8.14 keeps metadata although it has "strip".
static inline int tt_vips_webp(VipsImage *in, void **bytes, size_t *count, int quality, int effort) {
    return vips_webpsave_buffer(in, bytes, count, "Q", quality, "effort", effort, NULL);
}

#endif
