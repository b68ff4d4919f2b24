#ifndef TINTYPE_CFFMPEG_H
#define TINTYPE_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

// Function-like macros, which do not import.
static const int64_t tt_AV_NOPTS_VALUE = AV_NOPTS_VALUE;
static const int tt_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int tt_AVERROR_EOF = AVERROR_EOF;

#endif
