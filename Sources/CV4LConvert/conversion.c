#include "CV4LConvert.h"

#include <libv4lconvert.h>
#include <linux/videodev2.h>

void *tt_conversion_create(int descriptor) {
    return v4lconvert_create(descriptor);
}

void tt_conversion_destroy(void *conversion) {
    v4lconvert_destroy(conversion);
}

int tt_convert(void *conversion, uint32_t format, uint32_t width, uint32_t height, uint32_t bytes_per_line,
               const uint8_t *source, int count, uint8_t *target, int capacity) {
    struct v4l2_format from = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE};
    from.fmt.pix.width = width;
    from.fmt.pix.height = height;
    from.fmt.pix.pixelformat = format;
    from.fmt.pix.field = V4L2_FIELD_NONE;
    from.fmt.pix.bytesperline = bytes_per_line;
    from.fmt.pix.sizeimage = count;
    struct v4l2_format to = from;
    to.fmt.pix.pixelformat = V4L2_PIX_FMT_YUV420;
    to.fmt.pix.bytesperline = width;
    to.fmt.pix.sizeimage = width * height * 3 / 2;
    // The library only reads the source.
    return v4lconvert_convert(conversion, &from, &to, (unsigned char *)source, count, target, capacity);
}
