package import PhotoModel

/// `Endpoint.adminAudit`.
package struct AuditQuery: RouteQuery {
    /// The last entry of the page before.
    package var after: UInt64?
    /// Entries on the page.
    package var limit: Int?
    /// The device that the entries concern; nil for all.
    package var device: DeviceID?

    /// A query without items.
    package init() {}
    package init(after: UInt64, limit: Int, device: DeviceID?) {
        self.after = after
        self.limit = limit
        self.device = device
    }

    /// The items on the wire.
    package static var fields: [QueryField<AuditQuery>] {
        [
            QueryField("after", \.after), QueryField("limit", \.limit, in: 1...APILimits.adminPageCount),
            QueryField("device", \.device),
        ]
    }
}

/// `Endpoint.adminHistory`.
package struct HistoryQuery: RouteQuery {
    /// The last change of the page before.
    package var after: Int64?
    /// Changes on the page.
    package var limit: Int?
    /// The asset that they concern; nil for all.
    package var asset: AssetID?

    /// A query without items.
    package init() {}
    package init(after: Int64, limit: Int, asset: AssetID?) {
        self.after = after
        self.limit = limit
        self.asset = asset
    }

    /// The items on the wire.
    package static var fields: [QueryField<HistoryQuery>] {
        [
            QueryField("after", \.after), QueryField("limit", \.limit, in: 1...APILimits.adminPageCount),
            QueryField("asset", \.asset),
        ]
    }
}

/// `Endpoint.adminDevices`.
package struct DeviceQuery: RouteQuery {
    /// The last device of the page before.
    package var after: DeviceID?
    /// Devices on the page.
    package var limit: Int?

    /// A query without items.
    package init() {}
    package init(after: DeviceID?) { self.after = after }

    /// The items on the wire.
    package static var fields: [QueryField<DeviceQuery>] {
        [QueryField("after", \.after), QueryField("limit", \.limit, in: 1...APILimits.devicePageCount)]
    }
}

/// `Endpoint.adminJobs`.
package struct JobQuery: RouteQuery {
    /// Jobs on the page.
    package var limit: Int?
    /// The state that they are in; nil for all.
    package var state: JobState?
    /// The last job of the page before.
    package var after: JobID?

    /// A query without items.
    package init() {}
    package init(limit: Int, state: JobState? = nil, after: JobID? = nil) {
        self.limit = limit
        self.state = state
        self.after = after
    }

    /// The items on the wire.
    package static var fields: [QueryField<JobQuery>] {
        [
            QueryField("limit", \.limit, in: 1...APILimits.adminPageCount), QueryField("state", \.state),
            QueryField("after", \.after),
        ]
    }
}
