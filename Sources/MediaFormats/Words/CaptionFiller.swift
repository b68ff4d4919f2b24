/// Texts that cameras and programs write where a person's caption belongs.
enum CaptionFiller {
    /// In lower case, as all below.
    private static let texts: Set<String> = [
        "konica minolta digital camera", "digital camera", "kodak digital still camera", "samsung camera pictures",
        "samsung", "sony dsc", "minolta dsc", "exif_jpeg_picture", "exif jpeg", "exif_jpeg_t422", "jpeg_picture",
        "casio computer co.,ltd.", "hp photosmart", "lead technologies inc.", "lead technologies inc. v1.01",
        "created with the gimp", "created with gimp", "my beautiful picture", "binary comment", "charset=ascii",
        "processed with vsco", "file written by adobe photoshop\u{A8} 4.0", "intel(r) jpeg library",
    ]
    /// What a person may mean, and a camera does not: filler in EXIF only.
    private static let generic: Set<String> = [
        "default", "untitled", "user comments", "ascii", "image", "picture", "photo", "jpeg", "jpg", "dcim", "camera",
        "screenshot",
    ]
    private static let beginnings = ["maker:0x", "dcim\\", "<kenox", "<digimax", "processed with vsco", "digimax "]
    /// Makers whose phones write codes of their picture modes ("oznor", "rhdr", "sdr_vivid", ...).
    private static let codeMakers = ["huawei", "honor", "oneplus", "xiaomi", "redmi", "poco"]
    /// What cameras put before the number in a file's name.
    private static let filePrefixes = [
        "img", "img_", "_img", "imgp", "cimg", "dsc", "dsc_", "_dsc", "dscn", "dscf", "dsci", "pict", "hpim", "sam_",
        "mvi_", "vid_", "pxl_", "gopr", "dji_", "p1",
    ]

    /// Whether a text is filler rather than a caption: a listed one, the camera's own name, a file's, or no word at all.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - make: the camera's maker.
    ///   - model: the camera's model.
    ///   - isFromCamera: whether it is in a field that cameras fill, rather than one for people's texts.
    /// - Returns: whether it counts as absent.
    static func isFiller(_ text: String, make: String?, model: String?, isFromCamera: Bool) -> Bool {
        let isUpperCase = text == text.uppercased()
        let text = text.lowercased()
        let (make, model) = (make?.lowercased() ?? "", model?.lowercased() ?? "")
        if texts.contains(text) || beginnings.contains(where: { text.hasPrefix($0) }) { return true }
        if !text.contains(where: { $0.isLetter || $0.isNumber || $0.isEmoji }) { return true }
        if [make, model, "\(make) \(model)", "\(model) image"].contains(text) { return true }
        if isProductName(text, isFromCamera || isUpperCase) || isFileName(text) { return true }
        if isFromCamera, generic.contains(text) { return true }
        let isCode = text.utf8.count <= 16 && text.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0 == 0x5F || $0 == 0x3B }
        return isCode && (isFromCamera || text.contains { "_;".contains($0) })
            && codeMakers.contains { make.hasPrefix($0) }
    }

    /// "SANYO DIGITAL CAMERA", "hp photosmart 720", or the file system's standard ("DCF 1.0").
    private static func isProductName(_ text: String, _ isCameras: Bool) -> Bool {
        let words = text.split(separator: " ")
        if isCameras, words.count <= 3, text.hasSuffix(" digital camera") { return true }
        guard let last = words.last else { return false }
        if words.count == 3, text.hasPrefix("hp photosmart ") { return last.contains(where: \.isNumber) }
        return words.count == 2 && words[0] == "dcf" && last.allSatisfy { $0.isNumber || $0 == "." }
    }

    /// "img_1234", "dsc_0001.jpg", "img_20230501_123456".
    private static func isFileName(_ text: String) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.dropFirst().allSatisfy({ 3...4 ~= $0.count && $0.allSatisfy(\.isLetter) }) else {
            return false
        }
        return filePrefixes.contains { prefix in
            let number = parts[0].dropFirst(prefix.count)
            return parts[0].hasPrefix(prefix) && number.count >= 4
                && number.allSatisfy { $0.isWholeNumber || $0 == "_" } && number.contains(where: \.isWholeNumber)
        }
    }
}

extension Character {
    /// Whether it is an emoji rather than punctuation or white space.
    fileprivate var isEmoji: Bool { unicodeScalars.first?.properties.isEmojiPresentation == true }
}
