#ifndef TINTYPE_CFFMPEGDECODING_H
#define TINTYPE_CFFMPEGDECODING_H

// FFmpeg for files that nobody vouches for: reading, and converting to what everything plays. What cameras record is
// written by a separate module, so that no program links both for the sake of one.
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libswscale/swscale.h>
#include <string.h>

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

// Gives a stream the matrix that shows another's pictures upright, if it has one; a negative error without memory.
static inline int tt_copy_display_matrix(AVStream *target, const AVStream *source) {
    size_t size = 0;
    const uint8_t *matrix = tt_stream_side_data(source, AV_PKT_DATA_DISPLAYMATRIX, &size);
    if (!matrix || size < 36) return 0;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
    AVPacketSideData *data = av_packet_side_data_new(&target->codecpar->coded_side_data,
                                                     &target->codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX, 36, 0);
    uint8_t *copy = data ? data->data : NULL;
#else
    uint8_t *copy = av_stream_new_side_data(target, AV_PKT_DATA_DISPLAYMATRIX, 36);
#endif
    if (!copy) return AVERROR(ENOMEM);
    memcpy(copy, matrix, 36);
    return 0;
}

#endif
