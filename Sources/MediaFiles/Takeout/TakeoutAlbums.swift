import PhotoModel

extension TakeoutFolder {
    /// What identifies a photo in each folder of an export: the name and date that Google has of it.
    private struct Photo: Hashable {
        let name: FileName
        let date: WallTime

        init?(_ content: SidecarContent) {
            guard let name = content.originalName, let date = content.captureDate else { return nil }
            self.name = name
            self.date = date
        }
    }

    /// A document beside its files, in one of several folders.
    private struct Place {
        let folder: Int
        let document: FileName
        var files: [FileName]
    }

    /// A photo in more places joins no album: which of them is meant would be a guess, and comparing them takes time.
    private static let maximumPlaceCount = 256

    /// Lets photos in other folders join the albums whose folders have nothing but a document about them.
    ///
    /// Google writes the document into the album's folder, and sometimes the photo only into its year's. Numbers of
    /// files of one name differ between folders, so the documents' contents are compared.
    static func joinAlbums(in folders: inout [MediaCollection.Folder]) {
        var takeouts = folders.compactMap(\.documents.takeout)
        guard takeouts.count == folders.count, takeouts.contains(where: { $0.album != nil && !$0.open.isEmpty })
        else { return }
        let places = places(in: takeouts)
        for index in takeouts.indices {
            guard let album = takeouts[index].album else { continue }
            let documents = takeouts[index].open
            takeouts[index].open = []
            for document in documents {
                let found = Photo(document.statement.content).flatMap { places[$0] } ?? []
                let others = found.count > maximumPlaceCount ? [] : found.filter { $0.folder != index }
                guard let place = choose(others, document.statement.file.name, takeouts) else {
                    takeouts[index].open.append(document)
                    continue
                }
                for file in place.files { takeouts[place.folder].statements[file]?.join(album, by: document) }
            }
        }
        for (index, takeout) in takeouts.enumerated() { folders[index].documents.takeout = takeout }
    }

    private static func places(in takeouts: [Self]) -> [Photo: [Place]] {
        var places: [Photo: [Place]] = [:]
        for (index, takeout) in takeouts.enumerated() {
            let taken = takeout.statements.filter { $0.value.content.exclusion == nil }
            for (document, described) in Dictionary(grouping: taken, by: \.value.file.name) {
                guard let photo = described.first.flatMap({ Photo($0.value.content) }) else { continue }
                let place = Place(folder: index, document: document, files: described.map(\.key))
                places[photo, default: []].append(place)
            }
        }
        return places
    }

    /// Those of a year come first; among several, the one with a document of the same name is chosen.
    private static func choose(_ places: [Place], _ document: FileName, _ takeouts: [Self]) -> Place? {
        let years = places.filter { takeouts[$0.folder].album == nil }
        let candidates = years.isEmpty ? places : years
        let named = candidates.filter { $0.document == document }
        return named.min { $0.folder < $1.folder } ?? (candidates.count == 1 ? candidates[0] : nil)
    }
}

extension TakeoutFolder.Statement {
    fileprivate mutating func join(_ album: String, by document: TakeoutFolder.Document) {
        memberships.append(document.statement.file)
        if !content.albums.contains(album) { content.albums.append(album) }
    }
}
