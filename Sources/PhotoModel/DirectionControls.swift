extension String {
    /// The text without the characters that only turn the direction of others (Unicode's `Bidi_Control`), with which the
    /// name of a file could imitate another type.
    ///
    /// The letters of right-to-left scripts have a direction of their own, and stay.
    package var withoutDirectionControls: String {
        String(unicodeScalars.filter { !$0.properties.isBidiControl })
    }
}
