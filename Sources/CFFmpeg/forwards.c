// The writing half of FFmpeg, loaded on first use.
//
// libavformat and libavcodec pull in a hundred more libraries, whose loading takes two thirds of a program's startup.
// Commands that take no picture do not pay for it.
#include "CFFmpeg.h"

#include "CLateLoading.h"

#define SONAME(name, major) "lib" name ".so." AV_STRINGIFY(major)
#define CODEC SONAME("avcodec", LIBAVCODEC_VERSION_MAJOR)
#define FORMAT SONAME("avformat", LIBAVFORMAT_VERSION_MAJOR)
#define UTIL SONAME("avutil", LIBAVUTIL_VERSION_MAJOR)
#define SCALE SONAME("swscale", LIBSWSCALE_VERSION_MAJOR)
#define PURPOSE "encode a picture (Debian: libavcodec" AV_STRINGIFY(LIBAVCODEC_VERSION_MAJOR) ", libavformat" \
    AV_STRINGIFY(LIBAVFORMAT_VERSION_MAJOR) ")"
#define FORWARD(library, result, name, parameters, arguments) \
    TT_FORWARD(library, PURPOSE, result, name, parameters, arguments)

// libavutil
FORWARD(UTIL, AVBufferRef *, av_buffer_ref, (const AVBufferRef *buffer), (buffer))
FORWARD(UTIL, void, av_buffer_unref, (AVBufferRef **buffer), (buffer))
FORWARD(UTIL, int, av_channel_layout_copy, (AVChannelLayout *to, const AVChannelLayout *from), (to, from))
FORWARD(UTIL, void, av_channel_layout_default, (AVChannelLayout *layout, int channels), (layout, channels))
FORWARD(UTIL, void, av_dict_free, (AVDictionary **dictionary), (dictionary))
FORWARD(UTIL, int, av_dict_set, (AVDictionary **dictionary, const char *key, const char *value, int flags),
        (dictionary, key, value, flags))
FORWARD(UTIL, AVFrame *, av_frame_alloc, (void), ())
FORWARD(UTIL, void, av_frame_free, (AVFrame **frame), (frame))
FORWARD(UTIL, int, av_frame_get_buffer, (AVFrame *frame, int alignment), (frame, alignment))
FORWARD(UTIL, int, av_frame_make_writable, (AVFrame *frame), (frame))
FORWARD(UTIL, void, av_frame_unref, (AVFrame *frame), (frame))
FORWARD(UTIL, int, av_hwdevice_ctx_create,
        (AVBufferRef **device, enum AVHWDeviceType type, const char *name, AVDictionary *options, int flags),
        (device, type, name, options, flags))
FORWARD(UTIL, AVBufferRef *, av_hwframe_ctx_alloc, (AVBufferRef *device), (device))
FORWARD(UTIL, int, av_hwframe_ctx_init, (AVBufferRef *frames), (frames))
FORWARD(UTIL, int, av_hwframe_get_buffer, (AVBufferRef *frames, AVFrame *frame, int flags), (frames, frame, flags))
FORWARD(UTIL, int, av_hwframe_transfer_data, (AVFrame *to, const AVFrame *from, int flags), (to, from, flags))
FORWARD(UTIL, void, av_log_set_level, (int level), (level))
FORWARD(UTIL, const AVOption *, av_opt_find,
        (void *object, const char *name, const char *unit, int flags, int search),
        (object, name, unit, flags, search))
FORWARD(UTIL, int, av_opt_set_int, (void *object, const char *name, int64_t value, int flags),
        (object, name, value, flags))
FORWARD(UTIL, int, av_strerror, (int number, char *text, size_t size), (number, text, size))

// libavcodec
FORWARD(CODEC, AVPacket *, av_packet_alloc, (void), ())
FORWARD(CODEC, void, av_packet_free, (AVPacket **packet), (packet))
FORWARD(CODEC, void, av_packet_rescale_ts, (AVPacket *packet, AVRational from, AVRational to), (packet, from, to))
FORWARD(CODEC, void, av_packet_unref, (AVPacket *packet), (packet))
FORWARD(CODEC, AVCodecContext *, avcodec_alloc_context3, (const AVCodec *codec), (codec))
FORWARD(CODEC, const AVCodec *, avcodec_find_decoder, (enum AVCodecID identifier), (identifier))
FORWARD(CODEC, const AVCodec *, avcodec_find_encoder_by_name, (const char *name), (name))
FORWARD(CODEC, void, avcodec_free_context, (AVCodecContext **context), (context))
FORWARD(CODEC, int, avcodec_open2, (AVCodecContext *context, const AVCodec *codec, AVDictionary **options),
        (context, codec, options))
FORWARD(CODEC, int, avcodec_parameters_from_context, (AVCodecParameters *to, const AVCodecContext *from), (to, from))
FORWARD(CODEC, int, avcodec_parameters_to_context, (AVCodecContext *to, const AVCodecParameters *from), (to, from))
FORWARD(CODEC, int, avcodec_receive_frame, (AVCodecContext *context, AVFrame *frame), (context, frame))
FORWARD(CODEC, int, avcodec_receive_packet, (AVCodecContext *context, AVPacket *packet), (context, packet))
FORWARD(CODEC, int, avcodec_send_frame, (AVCodecContext *context, const AVFrame *frame), (context, frame))
FORWARD(CODEC, int, avcodec_send_packet, (AVCodecContext *context, const AVPacket *packet), (context, packet))

// libavformat
FORWARD(FORMAT, int, av_find_best_stream,
        (AVFormatContext *context, enum AVMediaType type, int wanted, int related, const AVCodec **decoder, int flags),
        (context, type, wanted, related, decoder, flags))
FORWARD(FORMAT, AVRational, av_guess_frame_rate, (AVFormatContext *context, AVStream *stream, AVFrame *frame),
        (context, stream, frame))
FORWARD(FORMAT, int, av_interleaved_write_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))
FORWARD(FORMAT, int, av_read_frame, (AVFormatContext *context, AVPacket *packet), (context, packet))
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
FORWARD(CODEC, AVPacketSideData *, av_packet_side_data_new,
        (AVPacketSideData **data, int *count, enum AVPacketSideDataType type, size_t size, int flags),
        (data, count, type, size, flags))
uint8_t *tt_stream_new_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size) {
    AVPacketSideData *data = av_packet_side_data_new(&stream->codecpar->coded_side_data,
                                                     &stream->codecpar->nb_coded_side_data, type, size, 0);
    return data ? data->data : NULL;
}
#else
FORWARD(FORMAT, uint8_t *, av_stream_new_side_data, (AVStream *stream, enum AVPacketSideDataType type, size_t size),
        (stream, type, size))
uint8_t *tt_stream_new_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size) {
    return av_stream_new_side_data(stream, type, size);
}
#endif
FORWARD(FORMAT, int, av_write_trailer, (AVFormatContext *context), (context))
FORWARD(FORMAT, AVFormatContext *, avformat_alloc_context, (void), ())
FORWARD(FORMAT, int, avformat_alloc_output_context2,
        (AVFormatContext **context, const AVOutputFormat *format, const char *name, const char *file),
        (context, format, name, file))
FORWARD(FORMAT, void, avformat_close_input, (AVFormatContext **context), (context))
FORWARD(FORMAT, int, avformat_find_stream_info, (AVFormatContext *context, AVDictionary **options), (context, options))
FORWARD(FORMAT, void, avformat_free_context, (AVFormatContext *context), (context))
FORWARD(FORMAT, AVStream *, avformat_new_stream, (AVFormatContext *context, const AVCodec *codec), (context, codec))
FORWARD(FORMAT, int, avformat_open_input,
        (AVFormatContext **context, const char *url, const AVInputFormat *format, AVDictionary **options),
        (context, url, format, options))
FORWARD(FORMAT, int, avformat_write_header, (AVFormatContext *context, AVDictionary **options), (context, options))
FORWARD(FORMAT, int, avio_closep, (AVIOContext **context), (context))
FORWARD(FORMAT, int, avio_open, (AVIOContext **context, const char *url, int flags), (context, url, flags))
FORWARD(FORMAT, const AVClass *, avio_protocol_get_class, (const char *name), (name))

int tt_protocol_has_option(const char *protocol, const char *option) {
    const AVClass *class = avio_protocol_get_class(protocol);
    return class && av_opt_find(&class, option, NULL, 0, AV_OPT_SEARCH_FAKE_OBJ);
}

// libswscale
FORWARD(SCALE, struct SwsContext *, sws_alloc_context, (void), ())
FORWARD(SCALE, void, sws_freeContext, (struct SwsContext *context), (context))
FORWARD(SCALE, int, sws_init_context, (struct SwsContext *context, SwsFilter *source, SwsFilter *target),
        (context, source, target))
FORWARD(SCALE, int, sws_scale,
        (struct SwsContext *context, const uint8_t *const source[], const int sourceStride[], int firstRow, int rows,
         uint8_t *const target[], const int targetStride[]),
        (context, source, sourceStride, firstRow, rows, target, targetStride))
