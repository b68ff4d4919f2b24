import Capture
import FoundationEssentials
import PhotoLibrary

extension CaptureOrder {
    /// Decodes an order from JSON.
    ///
    /// - Throws: `usage`, naming the problem.
    package init(json: [UInt8]) throws {
        self.init()
        guard !json.isEmpty else { return }
        let fields: [String: AnyValue]
        do {
            fields = try JSONDecoder().decode([String: AnyValue].self, from: Data(json))
            self = try JSONDecoder().decode(CaptureOrder.self, from: Data(json))
        } catch {
            throw AgentError(.usage, "an order is a JSON object such as {\"profile\": \"gate\", \"mode\": \"live\"}")
        }
        if let key = fields.keys.sorted().first(where: { CodingKeys(rawValue: $0) == nil }) {
            let known = CodingKeys.allCases.map(\.rawValue).joined(separator: ", ")
            throw AgentError(.usage, "an order has no \(key): it takes \(known); files go where the service puts them")
        }
        guard 1...1000 ~= count ?? 1 else { throw AgentError(.usage, "count takes 1 to 1000") }
        if let problem = bracket.flatMap(CaptureProfile.problem(ofBracket:)) { throw AgentError(.usage, problem) }
    }

    /// The profile as modified by this order.
    ///
    /// - Throws: `usage` for shots that no camera can take.
    package func applied(to profile: CaptureProfile) throws(AgentError) -> CaptureProfile {
        var profile = profile
        if let mode { profile.isLivePhoto = mode == .live }
        if let count { (profile.count, profile.bracket) = (count, nil) }
        if let camera { profile.camera = CaptureDevice.ID(rawValue: camera) }
        if hasSound == false { profile.sound = .off }
        if let includesRaw { profile.includesRaw = includesRaw }
        if let bracket { (profile.bracket, profile.count, profile.stride) = (bracket, count ?? 1, 1) }
        if let problem = profile.shotProblem { throw AgentError(.usage, problem) }
        return profile
    }

    /// Any JSON value, whose mere presence matters.
    private struct AnyValue: Decodable {
        init(from decoder: any Decoder) throws {}
    }
}
