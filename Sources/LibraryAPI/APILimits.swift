import Authorization
import PhotoModel

/// The limits of the interface, with units; server and client enforce the same numbers.
package enum APILimits {
    /// Bytes of one resource: 64 GiB.
    package static let resourceByteCount = AssetResource.maximumByteCount
    /// Bytes of one append: 1 GiB, so that one connection does not carry an upload for hours.
    package static let appendByteCount: Int64 = 1 << 30
    /// Seconds an untouched upload is kept: 14 days.
    package static let uploadAgeSeconds: Int64 = 14 * 86_400
    /// Uploads that one device may have open.
    package static let openUploadsPerDevice = 4096
    /// The most bytes of a JSON body, where its route has no limit of its own: 256 KiB.
    package static let requestByteCount = 256 << 10
    /// The most bytes of a push of changes: 4 MiB.
    package static let pushByteCount = 4 << 20
    /// The most bytes of an operator's selection, up to `Selection.maximumAssetCount` assets: 4 MiB.
    package static let selectionByteCount = 4 << 20
    /// Bytes of one manifest: 256 KiB.
    package static let manifestByteCount = 256 << 10
    /// Bytes of a whole batch: 64 MiB.
    package static let batchByteCount: Int64 = 64 << 20
    /// Assets in one batch.
    package static let batchAssetCount = 256
    /// Larger resources, in bytes, are refused in a batch, and uploaded on their own: 1 MiB.
    package static let batchResourceByteCount: Int64 = 1 << 20
    /// Digests in one hash check.
    package static let hashCheckCount = 1000
    /// Assets on one page of a list.
    package static let pageAssetCount = 500
    /// Assets on a page by default.
    package static let defaultPageAssetCount = 100
    /// Spans in one timeline response.
    package static let timelineSpanCount = 10_000
    /// Clusters in one response for a map: the most cells its grid can have, including those cut by its edges.
    package static let placeClusterCount = (PlaceQuery.columns.upperBound + 2) * (PlaceQuery.columns.upperBound + 2)
    /// Entities in one response of the change feed.
    package static let changePageCount = 1000
    /// Entities that a page may have beyond its limit: an asset and its places in granted albums share a number.
    package static let changePageTieCount = 1 + Selection.maximumAlbumCount
    /// Ranges in one response of range hashes.
    package static let changeRangeCount = 256
    /// Minimum seconds that a removal stays in the change feed: 30 days.
    package static let removalSeconds: Int64 = 30 * 86_400
    /// Seconds of silence after which a replica no longer counts: 180 days.
    package static let silentReplicaSeconds: Int64 = 180 * 86_400
    /// Seconds that a request for changes may wait for one.
    package static let changeWaitSeconds = 55
    /// Requests of one device that wait for changes or for a decision, plus its streams.
    package static let waitsPerDevice = 16
    /// Requests of one device at once that read its whole view: hashes of it, timelines and maps.
    package static let wholeReadsPerDevice = 2
    /// Requests of one device at once that list, count or follow what it may see.
    package static let listsPerDevice = 6
    /// Requests of one device at once that change something, except for saving.
    package static let changesPerDevice = 8
    /// Requests of one device at once that send files; an agent sends at most 16.
    package static let sendsPerDevice = 64
    /// Requests of one device at once for archives, and for files that are stripped or converted.
    package static let madeFilesPerDevice = 4
    /// Changes in one push.
    package static let pushCount = 1000
    /// Assets that a draining device announces in one request.
    package static let announcedCount = 5000
    /// Bytes of one change's encoded delta: 64 KiB.
    package static let deltaByteCount = 64 << 10
    /// Albums that one asset is in; each page names all of them.
    package static let albumsPerAsset = 1000
    /// Assets added to an album by one request.
    package static let albumAdditionCount = 1000
    /// Assets changed by one request.
    package static let bulkEditCount = 500
    /// Assets in one archive.
    package static let archiveAssetCount = 5000
    /// Archives of one caller; the oldest are dropped first.
    package static let archivesPerCaller = 16
    /// Seconds that an archive can be fetched: 24 hours.
    package static let archiveSeconds: Int64 = 86_400
    /// Bytes of UTF-8 in a title.
    package static let titleByteCount = 512
    /// Bytes of UTF-8 in the name of an album's order.
    package static let albumOrderByteCount = 64
    /// Bytes of UTF-8 in a caption: 16 KiB.
    package static let captionByteCount = 16 << 10
    /// Bytes of UTF-8 in the name of a place.
    package static let placeNameByteCount = 512
    /// Bytes of UTF-8 in the source of a capture's time.
    package static let captureSourceByteCount = 64
    /// Keywords on one asset.
    package static let keywordCount = 256
    /// Bytes of UTF-8 in a device's display name.
    package static let deviceNameByteCount = 256
    /// Reasons for held entries in a device's status.
    package static let holdReasonCount = 32
    /// Bytes of UTF-8 in one of them.
    package static let holdReasonByteCount = 64
    /// Cameras and microphones in a device's report.
    package static let consentCount = 32
    /// Bytes of UTF-8 in the name of one of them.
    package static let consentDeviceByteCount = 128
    /// Bytes of UTF-8 in its capability or status.
    package static let consentWordByteCount = 32
    /// Bytes of UTF-8 in a content type.
    package static let contentTypeByteCount = 255
    /// Bytes of UTF-8 in an operator's reason: 1 KiB.
    package static let reasonByteCount = 1 << 10
    /// Tags on one device.
    package static let deviceTagCount = 16
    /// Bytes of UTF-8 in a tag.
    package static let tagByteCount = 64
    /// Rules of the policy.
    package static let ceilingCount = 256
    /// Assets that one picker session may choose.
    package static let pickCount = 1000
    /// Picked items on one page.
    package static let pickedPageCount = 100
    /// Seconds a person has to choose: 15 minutes.
    package static let pickSeconds: Int64 = 15 * 60
    /// Seconds the caller has to fetch, once the person is done: 24 hours.
    package static let pickFetchSeconds: Int64 = 86_400
    /// Maximum lifetime of a picker session, in seconds: 7 days.
    package static let pickerSessionSeconds: Int64 = 7 * 86_400
    /// Open picker sessions per caller.
    package static let openPickersPerCaller = 8
    /// Ended picker sessions remembered per caller; the oldest are dropped first.
    package static let endedPickersPerCaller = 16
    /// Bytes of a certificate signing request: 16 KiB.
    package static let certificateRequestByteCount = 16 << 10
    /// Receipts in one response.
    package static let receiptCount = 500
    /// Entries per page of the audit, the history and the jobs.
    package static let adminPageCount = 1000
    /// Devices per page.
    package static let devicePageCount = 500
    /// The longest side of a thumbnail that may be requested, in pixels; the thumbnail returned may be smaller.
    package static let thumbnailSide = 16_384
}
