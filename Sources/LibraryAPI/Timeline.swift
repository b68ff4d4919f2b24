package import PhotoModel

/// How long the spans of a timeline are; they begin where the clock at the place of a capture does.
package enum TimelineUnit: String, CaseIterable, Hashable, Sendable, Codable {
    /// Calendar months.
    case month
    /// Days.
    case day
    /// Hours.
    case hour
}

/// Assets of one span of a timeline.
package struct TimelineSpan: Hashable, Sendable, Codable {
    /// The first time that belongs to it, on the clocks at the places of the captures.
    package var from: LocalTime
    /// The first time that does not belong to it any more.
    package var until: LocalTime
    /// Assets in it; never 0.
    package var count: Int

    package init(from: LocalTime, until: LocalTime, count: Int) {
        self.from = from
        self.until = until
        self.count = count
    }
}

/// A list of assets by when they were captured, counted and not told: what a timeline is drawn from before anything of
/// it is fetched.
package struct Timeline: Hashable, Sendable, Codable {
    /// The newest first; spans without assets are left out.
    package var spans: [TimelineSpan]
    /// How much of the library the caller sees.
    package var access: AssetPage.Access
    /// The state of the library before the counting, from which changes can be followed.
    package var token: ChangeToken
    /// The kinds that the list holds an asset of; nil unless asked for.
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
