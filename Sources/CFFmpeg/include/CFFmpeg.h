#ifndef TINTYPE_CFFMPEG_H
#define TINTYPE_CFFMPEG_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/hwcontext.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>

// Function-like macros, which do not import.
static const int64_t tt_AV_NOPTS_VALUE = AV_NOPTS_VALUE;
static const int tt_AVERROR_EAGAIN = AVERROR(EAGAIN);
static const int tt_AVERROR_EOF = AVERROR_EOF;

// Memory for a stream's side data; NULL if out of memory. FFmpeg 6.1 moved side data from the stream into its codec
// parameters and deprecated av_stream_new_side_data for av_packet_side_data_new.
uint8_t *tt_stream_new_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size);

// Whether libavformat's protocol, such as http, has an option: older versions ignore it without a word.
int tt_protocol_has_option(const char *protocol, const char *option);

#endif
