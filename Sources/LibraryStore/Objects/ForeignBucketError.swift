/// Why a bucket cannot be used for a library.
package enum ForeignBucketError: Error, Hashable, CustomStringConvertible {
    /// It is marked as another library's.
    case anotherLibrary
    /// Its library moved away, to this place.
    case departed(String)
    /// It lacks this library's marker.
    case unmarked
    /// It is for a new library, but not empty.
    case notEmpty

    /// What is wrong, and what to do.
    package var description: String {
        switch self {
        case .anotherLibrary: "the bucket holds another library: name another bucket or prefix"
        case .departed(let place): "the library moved to \(place): serve it there"
        case .unmarked: "the bucket is not this library's, or was emptied: use the bucket and prefix given to init"
        case .notEmpty: "the bucket is not empty: name another bucket, or an unused prefix"
        }
    }
}
