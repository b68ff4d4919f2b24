package import LibraryAPI
import PhotoModel

extension AssetManifest {
    /// Fills in the device, which must be the caller.
    ///
    /// - Returns: the manifest.
    /// - Throws: `StoreError` if it is invalid, or names another device.
    package func completed(for caller: StoreCaller) throws -> AssetManifest {
        if let problem {
            throw StoreError(problem.code ?? .resourceInvalid, problem.detail, about: id.description)
        }
        // The same picture has the same identifier for everyone who imports it, so nobody may claim the identifier of a
        // different one.
        guard !id.isDerived || asset.primaryResource.map({ id == .derived(from: $0.digest) }) ?? false else {
            throw StoreError(
                .resourceInvalid,
                "The identifier is not derived from the asset's primary bytes: derive it from those, or use a random "
                    + "one.",
                about: id.description
            )
        }
        guard let device = caller.deviceID else { return self }
        guard deviceID == nil || deviceID == device else {
            throw StoreError(
                .resourceInvalid,
                "The manifest names another device: leave it out, or name your own.",
                about: id.description
            )
        }
        var manifest = self
        manifest.deviceID = device
        return manifest
    }
}
