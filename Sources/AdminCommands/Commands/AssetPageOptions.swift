import ArgumentParser
import LibraryAPI

/// How much of a list of assets to request.
struct AssetPageOptions: ParsableArguments {
    @Option(help: "Assets per page, 1 to \(APILimits.pageAssetCount).")
    var limit = APILimits.defaultPageAssetCount

    @Option(help: .value("cursor", "Where the page begins: the previous page's cursor."))
    var cursor: String?

    @Flag(help: "Lists every page.")
    var all = false

    func validate() throws {
        guard 1...APILimits.pageAssetCount ~= limit else {
            throw ValidationError("--limit is 1 to \(APILimits.pageAssetCount); --all follows every page.")
        }
    }
}
