import MediaFormats

/// A whole file without its locations.
func withoutLocation(_ file: [UInt8]) throws -> [UInt8] {
    try file.withBytes { bytes throws(MediaFormatError) in
        try MetadataRemoval.location.stripped(bytes).copyBytes(from: bytes)
    }
}

/// A whole file without the texts that people gave it.
func withoutCaptions(_ file: [UInt8]) throws -> [UInt8] {
    try file.withBytes { bytes throws(MediaFormatError) in
        try MetadataRemoval.captions.stripped(bytes).copyBytes(from: bytes)
    }
}
