/// File names by which Android recognises a Motion Photo.
package enum MotionPhotoFileName {
    /// The name of a Motion Photo: the base name, `.MP` unless it already ends with that, and the extension; nil if the
    /// still's type cannot be one.
    ///
    /// The format requires `^([^\s\/\\][^\/\\]*MP)\.(JPG|jpg|JPEG|jpeg|HEIC|heic|AVIF|avif)`; disallowed characters of
    /// the base name become underscores.
    package static func name(baseName: String, type: ContentType) -> String? {
        guard [.jpeg, .heic, .avif].contains(type) else { return nil }
        var name = String(baseName.map { $0 == "/" || $0 == "\\" ? "_" : $0 })
        if name.first?.isWhitespace != false { name = "_" + name.dropFirst() }
        if !name.hasSuffix("MP") || name == "MP" { name += ".MP" }
        return name + "." + type.fileExtension
    }
}
