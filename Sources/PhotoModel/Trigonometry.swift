import Glibc

/// Sine and cosine of degrees, from the C library.
enum Trigonometry {
    static func sine(degrees: Double) -> Double {
        sin(degrees * .pi / 180)
    }

    static func cosine(degrees: Double) -> Double {
        cos(degrees * .pi / 180)
    }
}
