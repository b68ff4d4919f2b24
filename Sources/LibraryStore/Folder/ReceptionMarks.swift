import LibraryAPI
import Persistence
import Synchronization

/// How far uploads were hashed when they were last durable, so that one that is taken up again is not read again.
///
/// A device may have thousands of uploads of gigabytes and take them up in turns, of which few files stay open. A few
/// hundred bytes each are remembered instead, until the process ends. Short uploads are read again.
final class ReceptionMarks: Sendable {
    private struct State {
        var recent: [String: StagingFile.Mark] = [:]
        /// Those that were not used since `recent` was begun.
        var older: [String: StagingFile.Mark] = [:]
    }

    private let maximumCount: Int
    private let minimumByteCount: Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maximumCount: remembered recently, and again as many before; by default more than several devices have
    ///     open.
    ///   - minimumByteCount: shorter uploads are not remembered.
    init(
        maximumCount: Int = 4 * APILimits.openUploadsPerDevice,
        minimumByteCount: Int64 = Int64(StagingFile.chunkByteCount)
    ) {
        self.maximumCount = maximumCount
        self.minimumByteCount = minimumByteCount
    }

    /// The last mark of an upload; nil if none is remembered.
    func mark(of upload: String) -> StagingFile.Mark? {
        state.withLock { state in
            if let mark = state.recent[upload] { return mark }
            guard let mark = state.older[upload] else { return nil }
            insert(mark, of: upload, &state)
            return mark
        }
    }

    /// Remembers a mark of an upload instead of its earlier one.
    func keep(_ mark: StagingFile.Mark, of upload: String) {
        guard mark.byteCount >= minimumByteCount else { return }
        state.withLock { insert(mark, of: upload, &$0) }
    }

    /// Forgets uploads.
    func forget(_ uploads: [String]) {
        state.withLock { state in
            for upload in uploads {
                state.recent[upload] = nil
                state.older[upload] = nil
            }
        }
    }

    private func insert(_ mark: StagingFile.Mark, of upload: String, _ state: inout State) {
        if state.recent[upload] == nil, state.recent.count >= maximumCount {
            state.older = state.recent
            state.recent = [:]
        }
        state.recent[upload] = mark
    }
}
