extension Array where Element == UInt8 {
    /// Passes the bytes as the span that every parser takes, valid only inside.
    package func withBytes<Value, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Value) throws(Failure) -> Value {
        // `Span.bytes` is unsafe for types with padding; a byte has none.
        try body(unsafe span.bytes)
    }
}
