extension Array where Element == UInt8 {
    /// Passes the bytes as the span that every parser takes.
    ///
    /// - Parameter body: reads the bytes; the span is valid only inside.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    package func withBytes<Value, Failure: Error>(
        _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        // `Span.bytes` is unsafe for types with padding; a byte has none.
        try body(unsafe span.bytes)
    }
}
