import CFFmpeg
import Capture

/// Encodes one movie's sound as AAC.
final class AudioEncoder {
    private let codec: CodecContext
    private let frame: CodecFrame
    private let track: Int32

    /// Creates an encoder with its own track in a movie that has no header yet.
    init(_ format: AudioFormat, muxer: borrowing MovieMuxer) throws(MediaEncodingError) {
        codec = try CodecContext.audio(format: format)
        frame = try CodecFrame(soundFor: codec)
        track = try muxer.addTrack(codec)
    }

    /// Encodes all of the sound in chunks of the codec's frame size; the last may be shorter.
    func encode(_ timeline: AudioTimeline, to muxer: borrowing MovieMuxer) throws(MediaEncodingError) {
        let channels = timeline.format.channelCount
        let total = timeline.samples.count / channels
        let step = max(1, Int(unsafe codec.pointer.pointee.frame_size))
        for position in stride(from: 0, to: total, by: step) {
            let count = min(step, total - position)
            try frame.prepare()
            unsafe frame.pointer.pointee.nb_samples = Int32(clamping: count)
            for channel in 0..<channels {
                try fill(channel, with: timeline, from: position, count: count)
            }
            try write(frame, at: position, to: muxer)
        }
        try write(nil, at: total, to: muxer)
    }

    private func write(_ frame: CodecFrame?, at time: Int, to muxer: borrowing MovieMuxer) throws(MediaEncodingError) {
        try unsafe codec.send(frame, presentationTime: Int64(time)) { packet throws(MediaEncodingError) in
            try unsafe muxer.write(packet, track: track, from: codec)
        }
    }

    /// Converts one channel's samples to the codec's format: planar numbers from -1 to 1.
    private func fill(
        _ channel: Int,
        with timeline: AudioTimeline,
        from position: Int,
        count: Int
    ) throws(MediaEncodingError) {
        guard let plane = unsafe frame.pointer.pointee.extended_data[channel] else {
            throw MediaEncodingError(.codecFailed, "memory for a channel is missing")
        }
        let target = UnsafeMutableRawPointer(plane)
        let channels = timeline.format.channelCount
        for index in 0..<count {
            let value = Float(timeline.samples[(position + index) * channels + channel]) / 32_768
            unsafe target.storeBytes(of: value, toByteOffset: index * MemoryLayout<Float>.stride, as: Float.self)
        }
    }
}
