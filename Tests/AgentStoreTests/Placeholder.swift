// Replaced by real content.
