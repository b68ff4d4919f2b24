/// What the help of both programs' imports says alike.
package enum ImportHelp {
    /// Which files are left out, and which exports are recognised; a sentence on their albums may follow.
    package static let sources = """
        Files that arrive after their photo was imported are reported: a movie or raw file becomes its own asset, a \
        sidecar is ignored. Hidden files, whose names begin with a dot, are skipped unless named explicitly: phones \
        and cards keep deleted files there. Links inside a folder, to files or folders, are counted and not followed; \
        a link named explicitly is.

        FROM OTHER PROGRAMS, which are recognised by their files
          Google Takeout  folders, or its ZIP archives as they came: name all at once
          Apple Photos    the folder that osxphotos exported into, with JSON or XMP
          PhotoPrism      the folder with originals and storage, or both folders
          digiKam         folders with its XMP sidecars
          Immich          the server's address, and an API key (album.read,
                          asset.read, asset.download) in a file or IMMICH_API_KEY
        Favourites, descriptions, places and dates are imported, people as keywords, edited photos beside their \
        originals; trashed items are not.
        """
}
