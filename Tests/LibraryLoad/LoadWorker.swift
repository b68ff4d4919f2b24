import LibraryAPI
import LibraryClient
import PhotoModel
import TestSupport

/// One device at work: it saves one thing after another, by uploads and by batches, until the library goes away.
struct LoadWorker: Sendable {
    /// What a device saves at a time.
    enum Job: Sendable {
        /// One asset, by uploads in parts.
        case uploads(SampleCapture)
        /// Many small ones, in one request.
        case batch([SampleCapture])
    }

    let number: Int
    let device: LoadDevice
    let ledger: PromiseLedger
    var generator: SeededGenerator
    /// What was under way when the library went away.
    private var unfinished: Job?

    init(number: Int, device: LoadDevice, ledger: PromiseLedger, seed: UInt64) {
        self.number = number
        self.device = device
        self.ledger = ledger
        generator = SeededGenerator(seed: seed)
    }

    /// Works until the connection breaks; what the library refuses meanwhile is a violation.
    mutating func work() async {
        do {
            while true { try await step() }
        } catch let error as LibraryClientError {
            if case .transport = error.code { return }
            ledger.report("device \(number) was refused: \(error)")
        } catch is TransportError {
            return
        } catch {
            ledger.report("device \(number) failed: \(error)")
        }
    }

    /// Works in spite of everything that passes, and ends with nothing under way.
    ///
    /// - Parameters:
    ///   - end: when nothing new is begun any more; reached at once if the device cannot go on.
    ///   - patience: how long what is under way then may take until it is a violation.
    mutating func persist(until end: CampaignEnd, patience: Duration) async {
        while unfinished != nil || !end.isReached {
            do {
                try await step()
                ledger.advance(number)
            } catch {
                guard Self.passes(error), !end.isReached(for: patience) else {
                    ledger.report("device \(number) could not go on: \(error)")
                    end.reach()
                    return
                }
                try? await Task.sleep(for: .milliseconds(50 + generator.below(200)))
            }
        }
    }

    /// Whether a box would try again by itself: nobody answered, or somebody who could not yet.
    private static func passes(_ error: any Error) -> Bool {
        guard let error = error as? LibraryClientError else { return error is TransportError }
        return switch error.code {
        case .transport, .refused(nil), .refused(.unavailable), .refused(.slowDown), .refused(.tooSlow),
            .refused(.uploadSuperseded), .refused(.offsetMismatch):
            true
        // What an earlier request of the same upload did, whose answer was lost.
        case .refused(.uploadCompleted), .refused(.uploadGone): true
        case .refused, .malformedAnswer: false
        }
    }

    private mutating func step() async throws {
        let job = try unfinished ?? nextJob()
        unfinished = job
        switch job {
        case .uploads(let capture): try await upload(capture)
        case .batch(let captures): try await send(captures)
        }
        unfinished = nil
    }

    private mutating func nextJob() throws -> Job {
        if generator.oneIn(3) {
            let captures = try (0..<generator.below(12) + 1).map { _ in
                try SampleCapture(sizes: [Int64(generator.below(40_000) + 8)], &generator)
            }
            return .batch(captures)
        }
        let sizes = (0..<generator.below(2) + 1).map { _ in
            Int64(generator.below(generator.oneIn(4) ? 3_000_000 : 60_000) + 8)
        }
        return .uploads(try SampleCapture(sizes: sizes, &generator))
    }

    private mutating func upload(_ capture: SampleCapture) async throws {
        ledger.describe(capture)
        ledger.pass(.describing)
        let created = try await device.client.createAsset(capture.manifest)
        if let receipt = created.receipt {
            ledger.keep(receipt, of: capture)
            return
        }
        for status in created.uploads {
            ledger.keep(status.offset, of: status.id, asset: capture.manifest.id, device: number)
        }
        for (status, content) in zip(created.uploads, capture.contents) where !status.isComplete {
            try await append(content, to: status, of: capture)
        }
        ledger.pass(.committing)
        ledger.keep(try await device.client.commit(capture.manifest.id).receipt, of: capture)
        ledger.pass(.committed)
        if generator.oneIn(8) {
            ledger.keep(try await device.client.commit(capture.manifest.id).receipt, of: capture)
        }
    }

    private mutating func append(
        _ content: SampleBytes,
        to status: UploadStatus,
        of capture: SampleCapture
    ) async throws {
        var offset = status.offset
        var isComplete = false
        while !isComplete {
            let rest = content.byteCount - offset
            let count = generator.oneIn(2) ? rest : Int64.random(in: 0...rest, using: &generator)
            let isLast = count == rest
            ledger.pass(.appending)
            if generator.oneIn(2) {
                let position = try await device.client.append(
                    to: status.id,
                    at: offset,
                    content.source(from: offset, count: count),
                    isLast: isLast,
                    digest: content.digest(from: offset, count: count)
                )
                offset = position.offset
            } else {
                let source = content.source(from: offset, count: count)
                offset = try await device.appendWithoutDigest(to: status.id, at: offset, source, isLast: isLast)
            }
            isComplete = isLast
            ledger.keep(offset, of: status.id, asset: capture.manifest.id, device: number)
            ledger.pass(.appended)
        }
    }

    private func send(_ captures: [SampleCapture]) async throws {
        for capture in captures { ledger.describe(capture) }
        ledger.pass(.batching)
        let answer = try await device.client.batch(captures.map { try $0.batchItem })
        guard answer.results.map(\.assetID) == captures.map(\.manifest.id) else {
            ledger.report("a batch was answered with other assets")
            return
        }
        for (capture, result) in zip(captures, answer.results) {
            if let receipt = result.commit?.receipt { ledger.keep(receipt, of: capture) }
        }
        // Each item has an answer of its own; all are sent again until each has its receipt.
        if let problem = answer.results.compactMap(\.problem).first { throw LibraryClientError(problem) }
        guard answer.results.allSatisfy({ $0.commit != nil }) else {
            ledger.report("an asset of a batch has neither a receipt nor a problem")
            return
        }
        ledger.pass(.batched)
    }
}
