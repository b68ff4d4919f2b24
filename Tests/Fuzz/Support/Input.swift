/// Lends libFuzzer's input to a target as a span; the answer 0 keeps the input in the corpus when it found something new.
func withInput(_ start: UnsafePointer<UInt8>, _ count: Int, _ target: (RawSpan) -> Void) -> CInt {
    unsafe target(UnsafeRawBufferPointer(start: start, count: count).bytes)
    return 0
}
