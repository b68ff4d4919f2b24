import Foundation

/// The process's descriptor limit; every connection needs one.
enum OpenFileLimit {
    /// Raises the soft limit to the hard one: a shell's usual 1,024 are fewer than the allowed connections.
    ///
    /// The corresponding C functions are `getrlimit` and `setrlimit`.
    ///
    /// - Returns: the new limit.
    @discardableResult
    static func raise() -> Int {
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return 0 }
        var raised = limit
        raised.rlim_cur = raised.rlim_max
        guard unsafe setrlimit(resource, &raised) == 0 else { return Int(clamping: limit.rlim_cur) }
        return Int(clamping: raised.rlim_cur)
    }
}
