/// An optional value that most owners lack, kept apart: it takes 8 bytes of its owner, whatever its own size.
@propertyWrapper
package struct Rare<Value: Sendable>: Sendable {
    private indirect enum Storage {
        case none
        case some(Value)
    }

    private var storage = Storage.none

    /// Nothing.
    package init() {}

    /// The value.
    package var wrappedValue: Value? {
        get { if case .some(let value) = storage { value } else { nil } }
        set { storage = newValue.map { .some($0) } ?? .none }
    }
}
