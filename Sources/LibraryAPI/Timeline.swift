package import PhotoModel

/// The length of a timeline's spans, which are cut in the local time of each capture.
package enum TimelineUnit: String, CaseIterable, Hashable, Sendable, Codable {
    /// Calendar months.
    case month
    /// Days.
    case day
    /// Hours.
    case hour
}

/// The number of assets in one span of a timeline.
package struct TimelineSpan: Hashable, Sendable, Codable {
    /// The start, in the local time of each capture.
    package var from: LocalTime
    /// The end, exclusive.
    package var until: LocalTime
    /// The number of assets in it; never 0.
    package var count: Int

    package init(from: LocalTime, until: LocalTime, count: Int) {
        self.from = from
        self.until = until
        self.count = count
    }
}

/// Counts of a list of assets by capture date, from which a timeline can be drawn before any asset is fetched.
package struct Timeline: Hashable, Sendable, Codable {
    /// Newest first; spans without assets are left out.
    package var spans: [TimelineSpan]
    /// How much of the library the caller sees.
    package var access: AssetPage.Access
    /// The library's state before counting, from which to follow changes.
    package var token: ChangeToken
    /// The kinds of assets in the list; nil unless requested.
    package var kinds: [AssetFilter.Kind]?

    package init(
        spans: [TimelineSpan],
        access: AssetPage.Access,
        token: ChangeToken,
        kinds: [AssetFilter.Kind]? = nil
    ) {
        self.spans = spans
        self.access = access
        self.token = token
        self.kinds = kinds
    }
}
