#ifndef TINTYPE_CFFMPEGDECODING_H
#define TINTYPE_CFFMPEGDECODING_H

// The reading half of FFmpeg. The writing half has a module of its own, so that no program links both because of one.
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

// Function-like macros, which do not import.
static const int64_t tt_no_time = AV_NOPTS_VALUE;
static const int tt_again = AVERROR(EAGAIN);
static const int tt_end = AVERROR_EOF;
static const int tt_invalid = AVERROR_INVALIDDATA;

#endif
