/// Why a bucket is not used for a library.
package enum ForeignBucketError: Error, Hashable, CustomStringConvertible {
    /// It is marked as another library's.
    case anotherLibrary
    /// Its library moved away, to this place.
    case departed(String)
    /// It lacks the marker that this library put there.
    case unmarked
    /// It is to become a new library's, and holds something.
    case notEmpty

    /// What is wrong, and what to do.
    package var description: String {
        switch self {
        case .anotherLibrary: "the bucket holds another library: name another bucket or prefix"
        case .departed(let place): "the library moved to \(place): serve it there"
        case .unmarked: "the bucket is not this library's, or was emptied: name the bucket and prefix of its init"
        case .notEmpty: "the bucket is not empty: name another bucket, or a prefix that nothing uses"
        }
    }
}
