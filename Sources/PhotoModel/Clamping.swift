extension Sequence<AssetResource> {
    /// The bytes of all resources; lengths that cannot be count as the nearest that can.
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
    /// The value, or the end of a range that it lies beyond.
    ///
    /// Numbers from outside pass through this where they are decoded, so that no arithmetic on them overflows; a range that
    /// is one wider than what is valid keeps what was wrong visible to validation.
    package func clamped(to range: ClosedRange<Self>) -> Self {
        min(max(self, range.lowerBound), range.upperBound)
    }
}
