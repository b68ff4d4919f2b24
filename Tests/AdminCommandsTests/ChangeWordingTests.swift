import Testing

@testable import AdminCommands

struct ChangeWordingTests {
    private static let before = #"{"decision":{"addOnly":"notDetermined"},"grantVersion":1,"state":{"pending":{}}}"#
    private static let after = #"{"decision":{"addOnly":"authorized"},"grantVersion":2,"state":{"active":{}}}"#

    @Test(
        "of two records what differs is told, of everything else the text",
        arguments: [
            (before, after, "decision.addOnly: notDetermined → authorized, state: pending → active"),
            (after, after, ""), (nil, "gate", "gate"), ("gate", "north gate", "gate → north gate"),
            (nil, #"{"tags":["a","b"],"isOpen":true,"limit":4}"#, "isOpen: yes, limit: 4, tags: a, b"),
            (#"{"tags":["a"]}"#, #"{"tags":[]}"#, "tags: a → none"),
            (#"{"changedBy":{"device":{"_0":"x"}}}"#, #"{"changedBy":{"device":{"_0":"y"}}}"#, ""),
            ("{", "{broken", "{ → {broken"), (nil, nil, ""),
        ]
    )
    func words(old: String?, new: String?, expected: String) {
        #expect(ChangeWording(old: old, new: new).text == expected)
    }
}
