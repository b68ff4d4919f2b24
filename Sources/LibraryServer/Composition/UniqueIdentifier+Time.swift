import PhotoModel

extension UniqueIdentifier {
    /// A new identifier that sorts by its time.
    static func version7(at time: WallTime) -> Self {
        var generator = SystemRandomNumberGenerator()
        return version7(unixMilliseconds: time.millisecondsSince1970, using: &generator)
    }
}
