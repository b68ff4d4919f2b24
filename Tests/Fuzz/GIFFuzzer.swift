import MediaFormats

/// GIF blocks: the two walks through them agree, and a rewritten file has the same picture.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzGIF(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    withInput(start, count) { bytes in
        let file = try? GIFFile(bytes)
        guard let layout = try? GIFLayout(bytes) else { return }
        let frames = layout.blocks.count(where: { $0.kind == .frame })
        precondition(file?.isAnimated == (frames > 1), "one walk found more frames than the other")
        guard let stripped = try? MetadataRemoval.location.stripped(bytes).copyBytes(from: bytes) else {
            preconditionFailure("a file that can be read cannot be rewritten")
        }
        let picture = pictureBytes(layout, bytes)
        stripped.withBytes { bytes in
            guard let layout = try? GIFLayout(bytes) else { preconditionFailure("the new file cannot be read") }
            precondition(pictureBytes(layout, bytes) == picture, "the picture changed")
        }
    }
}

private func pictureBytes(_ layout: GIFLayout, _ bytes: RawSpan) -> [UInt8] {
    let shown = layout.blocks.filter { [.frame, .control, .repetition, .end].contains($0.kind) }
    return ([layout.header] + shown.map(\.range)).flatMap { (try? bytes.copyBytes(in: $0, limit: .max)) ?? [] }
}
