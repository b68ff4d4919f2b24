// The writing half of libheif, loaded on first use: with its encoders it takes a fifth of a program's startup.
#include "CHEIF.h"

#include "CLateLoading.h"

#define FORWARD(result, name, parameters, arguments) \
    TT_FORWARD("libheif.so.1", "make a HEIC file (Debian: libheif1)", result, name, parameters, arguments)

typedef struct heif_context Context;
typedef struct heif_encoder Encoder;
typedef struct heif_error Error;
typedef struct heif_image Image;
typedef struct heif_image_handle Handle;
typedef struct heif_encoding_options Options;
typedef struct heif_color_profile_nclx Profile;

// Pictures
FORWARD(Error, heif_image_add_plane, (Image *image, enum heif_channel channel, int width, int height, int depth),
        (image, channel, width, height, depth))
FORWARD(Error, heif_image_create,
        (int width, int height, enum heif_colorspace space, enum heif_chroma chroma, Image **image),
        (width, height, space, chroma, image))
FORWARD(uint8_t *, heif_image_get_plane, (Image *image, enum heif_channel channel, int *stride),
        (image, channel, stride))
FORWARD(void, heif_image_release, (const Image *image), (image))
FORWARD(Error, heif_image_set_nclx_color_profile, (Image *image, const Profile *profile), (image, profile))
FORWARD(Profile *, heif_nclx_color_profile_alloc, (void), ())
FORWARD(void, heif_nclx_color_profile_free, (Profile *profile), (profile))

// Encoders
FORWARD(Error, heif_context_get_encoder_for_format,
        (Context *context, enum heif_compression_format format, Encoder **encoder), (context, format, encoder))
FORWARD(void, heif_encoder_release, (Encoder *encoder), (encoder))
FORWARD(Error, heif_encoder_set_lossy_quality, (Encoder *encoder, int quality), (encoder, quality))
FORWARD(Error, heif_encoder_set_parameter, (Encoder *encoder, const char *name, const char *value),
        (encoder, name, value))
FORWARD(Options *, heif_encoding_options_alloc, (void), ())
FORWARD(void, heif_encoding_options_free, (Options *options), (options))

FORWARD(int, heif_have_encoder_for_format, (enum heif_compression_format format), (format))

// Files
FORWARD(Error, heif_context_add_exif_metadata, (Context *context, const Handle *image, const void *data, int size),
        (context, image, data, size))
FORWARD(Error, heif_context_add_XMP_metadata, (Context *context, const Handle *image, const void *data, int size),
        (context, image, data, size))
FORWARD(Context *, heif_context_alloc, (void), ())
FORWARD(Error, heif_context_encode_image,
        (Context *context, const Image *image, Encoder *encoder, const Options *options, Handle **handle),
        (context, image, encoder, options, handle))
FORWARD(Error, heif_context_encode_thumbnail,
        (Context *context, const Image *image, const Handle *master, Encoder *encoder, const Options *options, int side,
         Handle **handle),
        (context, image, master, encoder, options, side, handle))
FORWARD(void, heif_context_free, (Context *context), (context))
FORWARD(Error, heif_context_write, (Context *context, struct heif_writer *writer, void *data), (context, writer, data))
FORWARD(void, heif_image_handle_release, (const Handle *handle), (handle))
