/// Texts that cameras and programs write where a person's caption belongs.
enum CaptionFiller {
    /// In lower case.
    private static let texts: Set<String> = [
        "olympus digital camera", "konica minolta digital camera", "minolta digital camera", "digital camera",
        "pentax digital camera", "kodak digital still camera", "samsung camera pictures", "samsung digital camera",
        "samsung", "sony dsc", "minolta dsc", "exif_jpeg_picture", "exif jpeg", "exif_jpeg_t422", "jpeg_picture",
        "casio computer co.,ltd.", "hp photosmart", "lead technologies inc.", "lead technologies inc. v1.01",
        "created with the gimp", "created with gimp", "my beautiful picture", "default", "untitled", "user comments",
        "ascii", "binary comment", "charset=ascii", "image", "picture", "photo", "jpeg", "jpg", "dcim", "camera",
        "screenshot", "processed with vsco", "file written by adobe photoshop\u{A8} 4.0", "intel(r) jpeg library",
    ]
    private static let beginnings = ["maker:0x", "dcim\\", "<kenox", "<digimax", "processed with vsco", "digimax "]
    /// Makers whose phones write codes of their picture modes ("oznor", "rhdr", "cof", ...).
    private static let codeMakers = ["huawei", "honor", "oneplus"]

    /// Whether a text is filler rather than a caption: a listed one, the camera's own name, or no word at all.
    static func isFiller(_ text: String, make: String?, model: String?) -> Bool {
        let text = text.lowercased()
        let (make, model) = (make?.lowercased() ?? "", model?.lowercased() ?? "")
        if texts.contains(text) || beginnings.contains(where: { text.hasPrefix($0) }) { return true }
        if !text.contains(where: { $0.isLetter || $0.isNumber || $0.isEmoji }) { return true }
        if [make, model, "\(make) \(model)"].contains(text) { return true }
        let isCode = text.utf8.count <= 16 && text.utf8.allSatisfy { 0x61...0x7A ~= $0 || $0 == 0x5F || $0 == 0x3B }
        return isCode && codeMakers.contains { make.hasPrefix($0) }
    }
}

extension Character {
    /// Whether it is an emoji rather than punctuation or white space.
    fileprivate var isEmoji: Bool { unicodeScalars.first?.properties.isEmojiPresentation == true }
}
