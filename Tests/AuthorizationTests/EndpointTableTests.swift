import Authorization
import LibraryAPI
import Testing

/// One cell of the endpoint table, with the routes that its path stands for.
struct EndpointCell: CustomTestStringConvertible, Sendable {
    let row: Int
    let method: String
    let path: String
    let kind: CallerKind
    let expected: String

    var testDescription: String { "row \(row): \(method) \(path), \(kind): \(expected)" }

    /// The paths, where one line of the table names several: `/a and /b`, `/a/x y z`.
    var paths: [String] {
        let words = path.split(separator: " ").filter { $0 != "and" }.map(String.init)
        guard let first = words.first, let slash = first.lastIndex(of: "/") else { return [] }
        return words.map { $0.hasPrefix("/") ? $0 : first[...slash] + $0 }
    }

    static let all: [EndpointCell] = {
        let fixture = Fixture("endpoint-permissions")
        return fixture.rows.flatMap { row in
            CallerKind.allCases.map { kind in
                EndpointCell(
                    row: Int(row[0]) ?? 0,
                    method: row[1],
                    path: row[2],
                    kind: kind,
                    expected: row[3 + kind.rawValue]
                )
            }
        }
    }()
}

extension CallerKind {
    /// A caller of this column.
    var caller: Caller {
        func device(_ addOnly: AuthorizationStatus, _ readWrite: AuthorizationStatus, albums: Bool = false) -> Caller {
            let access = EffectiveAccess(addOnly: addOnly, readWrite: readWrite, mayPick: readWrite != .restricted)
            return Caller(credential: .device, access: access, hasGrantedAlbums: albums)
        }
        return switch self {
        case .none: .anonymous
        case .expired: Caller(credential: .expired, access: CallerKind.full.caller.access)
        case .revoked:
            Caller(credential: .device, state: .revoked(wipe: true), access: CallerKind.full.caller.access)
        case .undetermined: device(.notDetermined, .notDetermined)
        case .add: device(.authorized, .denied)
        case .limited: device(.limited, .limited)
        case .limitedAlbums: device(.limited, .limited, albums: true)
        case .full: device(.authorized, .authorized)
        case .denied: device(.denied, .denied)
        case .restricted: device(.restricted, .restricted)
        case .admin: .administrator
        }
    }
}

/// What a cell of the table means for an object, written down apart from the module.
func expectation(_ cell: String, _ object: ObjectRelation) -> (status: Int, type: String)? {
    let isFound: Bool
    switch cell {
    case "ok": return nil
    case "own": isFound = object == .own || object == .collection
    case "view": isFound = object == .own || object == .inView || object == .collection
    case "album": isFound = object == .inGrantedAlbum || object == .collection
    case "401m": return (401, "identity.missing")
    case "401e": return (401, "identity.expired")
    case "401r": return (401, "identity.revoked")
    case "403n": return (403, "authorization.not_determined")
    case "403d": return (403, "authorization.denied")
    case "403x": return (403, "authorization.restricted")
    case "403s": return (403, "authorization.scope")
    case "403o": return (403, "operators or devices only")
    default: return (0, "unknown cell \(cell)")
    }
    return isFound ? nil : (404, "object.not_found")
}

@Suite("The endpoint table")
struct EndpointTableTests {
    @Test("The table has 50 lines of 11 columns")
    func size() {
        let fixture = Fixture("endpoint-permissions")
        #expect(fixture.columns.count == 14)
        #expect(fixture.rows.count == 50)
        #expect(EndpointCell.all.count == 50 * 11)
    }

    @Test("T13, 002.1: every cell answers as the table says, for every object", arguments: EndpointCell.all)
    func cell(_ cell: EndpointCell) throws {
        #expect(!cell.paths.isEmpty)
        for path in cell.paths {
            let method = cell.method == "*" ? "POST" : cell.method
            let route = try #require(
                Route(method: method, template: path) ?? Route(method: "GET", template: path),
                "no route covers \(method) \(path)"
            )
            let entry = try #require(RouteTable.entries.first { $0.route == route })
            #expect(entry.row == cell.row)
            for object in ObjectRelation.allCases {
                let denial = decide(route: route, caller: cell.kind.caller, object: object).denial
                let expected = expectation(cell.expected, object)
                #expect(denial?.code.status == expected?.status, "\(path), \(object)")
                if cell.expected == "403o" {
                    #expect(denial == (cell.kind == .admin ? .devicesOnly : .operatorsOnly))
                } else {
                    #expect(denial?.code.rawValue == expected?.type, "\(path), \(object)")
                }
            }
        }
    }

    @Test("An allowed call says what it may touch")
    func scopes() {
        #expect(decide(route: .assets, caller: CallerKind.limited.caller, object: .collection) == .allow(.view))
        #expect(decide(route: .assets, caller: CallerKind.full.caller, object: .collection) == .allow(.everything))
        #expect(decide(route: .receipts, caller: CallerKind.add.caller, object: .collection) == .allow(.own))
        #expect(
            decide(route: .albums, caller: CallerKind.limitedAlbums.caller, object: .collection)
                == .allow(.grantedAlbums)
        )
    }

    @Test("I1: every route has exactly one line, and finds itself by its pattern")
    func everyRoute() {
        for route in Route.allCases {
            let entries = RouteTable.entries.filter { $0.route == route }
            #expect(entries.count == 1, "\(route)")
            for entry in entries {
                let path = entry.path.replacing("/**", with: "")
                #expect(Route(method: entry.method?.rawValue ?? "PUT", template: path) == route)
            }
        }
    }

    @Test("002.1: a route without a line is denied to everybody")
    func unknownRoute() {
        #expect(Route(method: "GET", template: "/v1/everything") == nil)
        #expect(Route(method: "PUT", template: "/v1/assets") == nil)
        #expect(Route(method: "GET", template: "/v1/assets/{id}/secret") == nil)
        for kind in CallerKind.allCases {
            #expect(decide(route: nil, caller: kind.caller, object: .own) == .deny(.unknownRoute))
        }
    }

    @Test(
        "Lines beside the design's table: the server's own pages are for anybody",
        arguments: [Route.readiness, .apiDescription, .page, .pageFile, .loginForm, .login, .logout]
    )
    func pages(_ route: Route) {
        for kind in CallerKind.allCases {
            #expect(decide(route: route, caller: kind.caller, object: .collection) == .allow(.everything))
        }
    }

    @Test(
        "Parts of an asset, range hashes and single receipts answer like their whole",
        arguments: [
            (Route.livePhoto, Route.resource), (.motionPhoto, .resource), (.rangeHashes, .changes),
            (.receipt, .receipts), (.timeline, .assets), (.places, .assets), (.superseded, .asset),
            (.albumAssets, .albums),
            (.moveInAlbum, .addToAlbum), (.facts, .asset), (.createArchive, .resource), (.archive, .resource),
            (.prepareArchive, .resource), (.archiveContent, .resource), (.editAssets, .editAsset),
        ]
    )
    func sameRow(_ part: Route, _ whole: Route) {
        for kind in CallerKind.allCases {
            for object in ObjectRelation.allCases {
                #expect(
                    decide(route: part, caller: kind.caller, object: object)
                        == decide(route: whole, caller: kind.caller, object: object)
                )
            }
        }
    }

    @Test("T15, CVE-2026-23896: no device reaches any administrator's call, in whatever state")
    func selfGrant() {
        let routes = RouteTable.entries.filter { $0.path.hasPrefix("/v1/admin") || $0.row == 36 || $0.row == 40 }
        #expect(routes.count == 21)
        for entry in routes {
            for caller in Caller.everyDevice {
                let verdict = decide(route: entry.route, caller: caller, object: .own)
                #expect(verdict.denial?.code.status == 403 || verdict.denial?.code.status == 401)
            }
        }
    }

    @Test("T14: an object outside the view and one that never existed get the same answer")
    func noLeak() {
        for route in Route.allCases {
            for caller in Caller.everyDevice + [.anonymous, .administrator] {
                let outside = decide(route: route, caller: caller, object: .outside)
                #expect(outside == decide(route: route, caller: caller, object: .nonexistent))
            }
        }
    }

    @Test("A refusal by level is the same whatever the object")
    func refusalsIgnoreObjects() {
        for route in Route.allCases where route != .createAsset && route != .createBatch {
            for caller in Caller.everyDevice {
                let denials = Set(
                    ObjectRelation.allCases.map { decide(route: route, caller: caller, object: $0).denial }
                )
                let refused = denials.compactMap(\.self).filter { $0.code.status == 403 }
                #expect(refused.isEmpty || denials.count == 1)
            }
        }
    }
}

extension Caller {
    /// Every device that there can be: credentials, states, pairs of statuses, picking, albums.
    static let everyDevice: [Caller] = {
        let states: [DeviceState] = [
            .pending, .active, .draining, .suspect, .revoked(wipe: false), .revoked(wipe: true),
        ]
        var callers: [Caller] = []
        for credential in [Credential.device, .expired] {
            for state in states {
                for addOnly in AuthorizationStatus.allCases {
                    for readWrite in AuthorizationStatus.allCases {
                        for flags in 0..<4 {
                            callers.append(
                                Caller(
                                    credential: credential,
                                    state: state,
                                    access: EffectiveAccess(
                                        addOnly: addOnly,
                                        readWrite: readWrite,
                                        mayPick: flags & 1 == 0
                                    ),
                                    hasGrantedAlbums: flags & 2 == 0
                                )
                            )
                        }
                    }
                }
            }
        }
        return callers
    }()
}
