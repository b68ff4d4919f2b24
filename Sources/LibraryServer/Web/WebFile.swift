/// One file of the web page, embedded in the program.
struct WebFile: Sendable {
    /// The file name in its address.
    let name: String
    let bytes: [UInt8]

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The media type; the page has files of these types only.
    var contentType: String {
        switch name.split(separator: ".").last {
        case "js": "text/javascript; charset=utf-8"
        case "css": "text/css; charset=utf-8"
        case "html": "text/html; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    /// Whether a browser can show it as a page of its own, which needs security policies; scripts and styles use their
    /// page's.
    var isDocument: Bool { name.hasSuffix(".html") || name.hasSuffix(".svg") }

    /// Every file; a test compares the list with the folder.
    static let all: [WebFile] = [
        WebFile("acts.js", PackageResources.acts_js),
        WebFile("admin.js", PackageResources.admin_js),
        WebFile("admit.js", PackageResources.admit_js),
        WebFile("album-gallery.js", PackageResources.album_gallery_js),
        WebFile("album-reorder.js", PackageResources.album_reorder_js),
        WebFile("album-timeline.js", PackageResources.album_timeline_js),
        WebFile("albums.js", PackageResources.albums_js),
        WebFile("api.js", PackageResources.api_js),
        WebFile("app.js", PackageResources.app_js),
        WebFile("asset-details.js", PackageResources.asset_details_js),
        WebFile("archive.js", PackageResources.archive_js),
        WebFile("audit.js", PackageResources.audit_js),
        WebFile("bulk.js", PackageResources.bulk_js),
        WebFile("camera-facts.js", PackageResources.camera_facts_js),
        WebFile("consents.js", PackageResources.consents_js),
        WebFile("day-count.js", PackageResources.day_count_js),
        WebFile("devices.js", PackageResources.devices_js),
        WebFile("dialogs.js", PackageResources.dialogs_js),
        WebFile("dom.js", PackageResources.dom_js),
        WebFile("downloads.js", PackageResources.downloads_js),
        WebFile("edits.js", PackageResources.edits_js),
        WebFile("empty.js", PackageResources.empty_js),
        WebFile("filmstrip.js", PackageResources.filmstrip_js),
        WebFile("filter-fields.js", PackageResources.filter_fields_js),
        WebFile("filters.js", PackageResources.filters_js),
        WebFile("format.js", PackageResources.format_js),
        WebFile("gallery.js", PackageResources.gallery_js),
        WebFile("grid-geometry.js", PackageResources.grid_geometry_js),
        WebFile("grid-input.js", PackageResources.grid_input_js),
        WebFile("grid-rows.js", PackageResources.grid_rows_js),
        WebFile("grid.js", PackageResources.grid_js),
        WebFile("health.js", PackageResources.health_js),
        WebFile("icon.svg", PackageResources.icon_svg),
        WebFile("inbox.js", PackageResources.inbox_js),
        WebFile("index.html", PackageResources.index_html),
        WebFile("justified.js", PackageResources.justified_js),
        WebFile("kept-places.js", PackageResources.kept_places_js),
        WebFile("keys.js", PackageResources.keys_js),
        WebFile("login.html", PackageResources.login_html),
        WebFile("login.js", PackageResources.login_js),
        WebFile("map-view.js", PackageResources.map_view_js),
        WebFile("map.js", PackageResources.map_js),
        WebFile("media.js", PackageResources.media_js),
        WebFile("moment.js", PackageResources.moment_js),
        WebFile("notices.js", PackageResources.notices_js),
        WebFile("offered-types.js", PackageResources.offered_types_js),
        WebFile("open-photo.js", PackageResources.open_photo_js),
        WebFile("outlines.js", PackageResources.outlines_js),
        WebFile("page.css", PackageResources.page_css),
        WebFile("pages.css", PackageResources.pages_css),
        WebFile("pick.html", PackageResources.pick_html),
        WebFile("picker-options.js", PackageResources.picker_options_js),
        WebFile("picker.js", PackageResources.picker_js),
        WebFile("placeholder-queue.js", PackageResources.placeholder_queue_js),
        WebFile("qr.js", PackageResources.qr_js),
        WebFile("route.js", PackageResources.route_js),
        WebFile("scroll-speed.js", PackageResources.scroll_speed_js),
        WebFile("scrubber.js", PackageResources.scrubber_js),
        WebFile("search-words.js", PackageResources.search_words_js),
        WebFile("select.js", PackageResources.select_js),
        WebFile("selecting.js", PackageResources.selecting_js),
        WebFile("selection.js", PackageResources.selection_js),
        WebFile("sessions.js", PackageResources.sessions_js),
        WebFile("source.js", PackageResources.source_js),
        WebFile("strip.js", PackageResources.strip_js),
        WebFile("thumbhash.js", PackageResources.thumbhash_js),
        WebFile("tile.js", PackageResources.tile_js),
        WebFile("time-lapse.js", PackageResources.time_lapse_js),
        WebFile("timeline.js", PackageResources.timeline_js),
        WebFile("toolbar.js", PackageResources.toolbar_js),
        WebFile("utc-offset.js", PackageResources.utc_offset_js),
        WebFile("viewer.css", PackageResources.viewer_css),
        WebFile("viewer.js", PackageResources.viewer_js),
        WebFile("zoom.js", PackageResources.zoom_js),
    ]
}
