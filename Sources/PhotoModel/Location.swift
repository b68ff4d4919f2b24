/// A place on Earth (WGS 84).
public struct Location: Hashable, Sendable, Codable {
    /// Degrees north, -90 to 90.
    public let latitude: Double
    /// Degrees east, -180 to 180.
    public let longitude: Double
    /// Metres above sea level; nil if unknown.
    public let altitude: Double?

    /// Altitudes that a camera may have, in metres: from below every sea to above every space station.
    public static let altitudes = -100_000.0...1_000_000.0

    /// Takes degrees and metres; nil if a number is not finite, or no place has these degrees.
    ///
    /// An altitude beyond ``altitudes`` is a receiver's or a file's mistake, and is left out.
    public init?(latitude: Double, longitude: Double, altitude: Double? = nil) {
        guard altitude?.isFinite ?? true else { return nil }
        let possible = altitude.flatMap { Self.altitudes ~= $0 ? $0 : nil }
        self.init(degrees: (latitude, longitude), altitude: possible)
    }

    private init?(degrees: (latitude: Double, longitude: Double), altitude: Double?) {
        let (latitude, longitude) = degrees
        guard -90...90 ~= latitude, -180...180 ~= longitude else { return nil }
        self.latitude = latitude
        self.longitude = longitude
        self.altitude = altitude
    }

    private enum CodingKeys: CodingKey {
        case latitude, longitude, altitude
    }

    /// Decodes the three numbers; any altitude is kept, so that stored places can be read and requests refused.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let latitude = try container.decode(Double.self, forKey: .latitude)
        let longitude = try container.decode(Double.self, forKey: .longitude)
        let location = Location(
            degrees: (latitude, longitude),
            altitude: try container.decodeIfPresent(Double.self, forKey: .altitude)
        )
        guard let location else {
            throw decoder.corruption("not a place on Earth")
        }
        self = location
    }
}

/// A circle on Earth's surface, for "near a place".
public struct GeographicCircle: Hashable, Sendable, Codable {
    /// The largest circle: half of Earth's circumference at the equator, so that it contains every place.
    public static let maximumRadiusMeters = 20_037_508.0

    /// Degrees of latitude per metre, for Earth's mean radius (6,371,008.8 m, IUGG).
    private static let degreesPerMeter = 1 / 111_195.080_233_532_9

    /// The centre.
    public let center: Location
    /// The distance from the centre, in metres.
    public let radiusMeters: Double

    /// Takes a centre and a radius above 0; nil for any other radius.
    public init?(center: Location, radiusMeters: Double) {
        guard radiusMeters > 0, radiusMeters <= Self.maximumRadiusMeters else { return nil }
        self.center = center
        self.radiusMeters = radiusMeters
    }

    /// Decodes a centre and a radius by the same rules.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let circle = GeographicCircle(
            center: try container.decode(Location.self, forKey: .center),
            radiusMeters: try container.decode(Double.self, forKey: .radiusMeters)
        )
        guard let circle else {
            throw DecodingError.dataCorruptedError(
                forKey: .radiusMeters,
                in: container,
                debugDescription: "the radius must be above 0 and at most \(Int(Self.maximumRadiusMeters)) metres"
            )
        }
        self = circle
    }

    private enum CodingKeys: CodingKey {
        case center, radiusMeters
    }

    /// Whether a place is within the circle, by the chord between the two points on a sphere.
    ///
    /// After the four sines and cosines of each point it uses only products and sums of `Double`, so that a database
    /// function built on this method agrees with it to the bit.
    public func contains(_ place: Location) -> Bool {
        let (ax, ay, az) = Self.unitVector(center)
        let (bx, by, bz) = Self.unitVector(place)
        let chordSquared = (ax - bx) * (ax - bx) + (ay - by) * (ay - by) + (az - bz) * (az - bz)
        let halfAngle = min(radiusMeters * Self.degreesPerMeter / 2, 90)
        let limit = 2 * Trigonometry.sine(degrees: halfAngle)
        return chordSquared <= limit * limit
    }

    private static func unitVector(_ place: Location) -> (x: Double, y: Double, z: Double) {
        let radius = Trigonometry.cosine(degrees: place.latitude)
        return (
            radius * Trigonometry.cosine(degrees: place.longitude),
            radius * Trigonometry.sine(degrees: place.longitude),
            Trigonometry.sine(degrees: place.latitude)
        )
    }
}

/// An area between two meridians and two parallels, its edges included.
public struct GeographicBox: Hashable, Sendable, Codable {
    /// Degrees east of the western edge, -180 to 180; greater than ``east`` if the box crosses the date line.
    public let west: Double
    /// Degrees north of the southern edge, -90 to ``north``.
    public let south: Double
    /// Degrees east of the eastern edge, -180 to 180.
    public let east: Double
    /// Degrees north of the northern edge, ``south`` to 90.
    public let north: Double

    /// All of Earth.
    public static let earth = GeographicBox(unchecked: (-180, -90, 180, 90))

    /// Takes degrees; nil if a number is out of range or not finite, or the box is upside down.
    public init?(west: Double, south: Double, east: Double, north: Double) {
        guard -180...180 ~= west, -180...180 ~= east, -90...90 ~= south, -90...90 ~= north, south <= north else {
            return nil
        }
        self.init(unchecked: (west, south, east, north))
    }

    private init(unchecked edges: (west: Double, south: Double, east: Double, north: Double)) {
        (west, south, east, north) = edges
    }

    private enum CodingKeys: CodingKey {
        case west, south, east, north
    }

    /// Decodes the four edges, with the checks of `init(west:south:east:north:)`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let box = GeographicBox(
            west: try container.decode(Double.self, forKey: .west),
            south: try container.decode(Double.self, forKey: .south),
            east: try container.decode(Double.self, forKey: .east),
            north: try container.decode(Double.self, forKey: .north)
        )
        guard let box else {
            throw decoder.corruption("not an area of Earth")
        }
        self = box
    }

    /// Whether the box crosses the meridian of 180 degrees.
    public var crossesDateLine: Bool { west > east }

    /// Whether a place is within the box or on its edges.
    public func contains(_ place: Location) -> Bool {
        guard south...north ~= place.latitude else { return false }
        return crossesDateLine
            ? place.longitude >= west || place.longitude <= east
            : west...east ~= place.longitude
    }
}
