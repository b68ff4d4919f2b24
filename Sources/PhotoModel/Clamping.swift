extension Sequence<AssetResource> {
    /// The total bytes of all resources; impossible lengths are clamped.
    package var totalByteCount: Int64 {
        reduce(0) { sum, resource in
            let (next, overflow) = sum.addingReportingOverflow(
                resource.byteCount.clamped(to: 0...AssetResource.maximumByteCount)
            )
            return overflow ? .max >> 1 : next
        }
    }
}

extension Comparable {
    /// The value clamped to a range.
    ///
    /// Numbers from outside pass through this when decoded, so that no arithmetic on them overflows; a range one wider
    /// than the valid one keeps errors visible to validation.
    package func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
