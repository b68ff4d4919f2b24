package import LibraryAPI
package import PhotoModel

extension LibraryClient {
    /// Opens a picker session; only this response contains the address for the person who chooses.
    package func openPicker(_ request: PickerRequest) async throws(LibraryClientError) -> PickerSession {
        try await call(.createPicker, body: request)
    }

    /// The status of one of the caller's sessions.
    package func picker(_ session: PickerSessionID) async throws(LibraryClientError) -> PickerSession {
        try await call(.picker, [session])
    }

    /// Changes an open session of the caller.
    package func editPicker(
        _ session: PickerSessionID,
        _ edit: PickerEdit
    ) async throws(LibraryClientError) -> PickerSession {
        try await call(.editPicker, [session], body: edit)
    }

    /// One page of picked items.
    ///
    /// - Parameters:
    ///   - session: the session.
    ///   - item: the last item of the page before; nil for the first page.
    /// - Returns: the page.
    /// - Throws: `picker.not_done`, `picker.ended`, and every other refusal.
    package func pickedItems(
        of session: PickerSessionID,
        after item: AssetID?
    ) async throws(LibraryClientError) -> PickedItemPage {
        try await call(.pickedItems, [session], query: PickedItemsQuery(after: item).items)
    }

    /// Ends a session; nothing can be fetched from it afterwards.
    package func endPicker(_ session: PickerSessionID) async throws(LibraryClientError) {
        try await perform(.endPicker, [session])
    }
}
