#ifndef TINTYPE_CFFMPEGDECODING_H
#define TINTYPE_CFFMPEGDECODING_H

// The reading half of FFmpeg. The writing half is a separate module, so that no program links both for the sake of one.
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

// A stream's side data and its size; NULL without any. FFmpeg 6.1 moved side data from the stream into its codec
// parameters and deprecated av_stream_get_side_data for av_packet_side_data_get.
static inline const uint8_t *tt_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    const AVPacketSideData *data =
        av_packet_side_data_get(stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    *size = data ? data->size : 0;
    return data ? data->data : NULL;
#else
    return av_stream_get_side_data(stream, type, size);
#endif
}

#endif
