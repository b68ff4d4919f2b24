/// A verdict or a caller's status in words: the cause, and the next command.
package struct Explanation: Hashable, Sendable, CustomStringConvertible {
    /// The cause.
    package let cause: String
    /// The command to run, and who runs it; or that none is needed.
    package let next: String

    private init(_ cause: String, next: String) {
        self.cause = cause
        self.next = next
    }

    /// Both sentences on one line.
    package var description: String { "\(cause). Next: \(next)." }
}

extension Explanation {
    /// Explains a verdict.
    package init(_ verdict: Verdict) {
        switch verdict {
        case .allow(.everything): self.init("Allowed", next: "nothing to do")
        case .allow(.own): self.init("Allowed for the caller's own objects", next: "nothing to do")
        case .allow(.view):
            self.init(
                "Allowed within the selection",
                next: "to see more, run: tintype-agent selection expand --reason REASON"
            )
        case .allow(.grantedAlbums):
            self.init(
                "Allowed for the granted albums",
                next: "to see more, run: tintype-agent selection expand --reason REASON"
            )
        case .quarantine:
            self.init(
                "Two copies of this device were detected; its uploads are quarantined",
                next: "an administrator switches off the wrong copy, then runs: tintypectl device resolve <device>"
            )
        case .deny(let denial): self.init(denial)
        }
    }

    /// Explains a refusal.
    package init(_ denial: Denial) {
        switch denial {
        case .identityMissing: self.init("No credential was presented", next: "run: tintype-agent enroll <url>")
        case .identityExpired:
            self.init("The device's certificate has expired", next: "the agent renews it; see: tintype-agent doctor")
        case .identityRevoked:
            self.init(
                "The device was revoked",
                next: "keep its queue with: tintype-agent queue export; then run: tintype-agent enroll <url>"
            )
        case .identitySuspect:
            self.init(
                "Two copies of this device were detected, so it may not read",
                next: "an administrator switches off the wrong copy, then runs: tintypectl device resolve <device>"
            )
        case .draining:
            self.init(
                "The device is being retired and delivers only what it announced",
                next: "an administrator can cancel that with: tintypectl device drain <device> --cancel"
            )
        case .notDetermined(let level):
            self.init(
                "Nobody has decided about \(level.rawValue) yet",
                next: "run: tintype-agent authorize\(level == .addOnly ? "" : " --read-write"); "
                    + "an administrator runs: tintypectl request list"
            )
        case .denied(let level):
            self.init(
                "An administrator denied \(level.rawValue)",
                next: "an administrator runs: tintypectl device decide <fingerprint> --as "
                    + (level == .addOnly ? "add-only" : "selected")
            )
        case .restricted(let level):
            self.init("Policy forbids \(level.rawValue)", next: "an administrator runs: tintypectl ceiling show")
        case .pickingRestricted:
            self.init("Policy forbids picking", next: "an administrator runs: tintypectl ceiling show")
        case .scope(let needs, let readWrite): self.init(needs, readWrite: readWrite)
        case .operatorsOnly: self.init("Only operators may do this", next: "an operator runs: tintypectl help")
        case .devicesOnly:
            self.init("Only a device may do this, for itself", next: "an operator runs: tintypectl device list")
        case .notFound: self.init("There is no such object for this caller", next: "list the objects it may see")
        case .unknownRoute: self.init("There is no such call", next: "see: /v1/openapi.yaml")
        }
    }

    private init(_ requirement: Denial.Requirement, readWrite: AuthorizationStatus) {
        let status = "readWrite is \(readWrite.name)"
        switch requirement {
        case .limited, .authorized:
            let whole = requirement == .authorized ? " for the whole library" : ""
            self.init("This needs readWrite\(whole); \(status)", next: Self.remedy(readWrite))
        case .grantedAlbum:
            self.init("This needs an album in the grant, or readWrite; \(status)", next: Self.remedy(readWrite))
        case .administrator:
            self.init("Only operators may do this; \(status)", next: "an operator runs: tintypectl help")
        }
    }

    private static func remedy(_ readWrite: AuthorizationStatus, asked: Set<AccessLevel> = []) -> String {
        switch readWrite {
        case .notDetermined where asked.contains(.readWrite): Self.alreadyAsked
        case .notDetermined: "run: tintype-agent authorize --read-write"
        case .denied: "an administrator runs: tintypectl device decide <fingerprint> --as selected"
        case .restricted: "an administrator runs: tintypectl ceiling show"
        case .limited: "run: tintype-agent selection expand --reason REASON"
        case .authorized: "an administrator runs: tintypectl device show <device>"
        }
    }
}

extension Explanation {
    private static let alreadyAsked = "asked; an administrator runs: tintypectl request list"

    /// Explains what a caller may do overall, who has asked for levels that are not decided yet.
    package init(_ caller: Caller, asked: Set<AccessLevel> = [], selectionIsEmpty: Bool = false) {
        if caller.credential == .device {
            switch caller.state {
            case .suspect: self.init(Denial.identitySuspect); return
            case .draining: self.init(Denial.draining); return
            case .pending, .active, .revoked: break
            }
        }
        switch caller.kind(for: .reading) {
        case .none: self.init(Denial.identityMissing)
        case .expired: self.init(Denial.identityExpired)
        case .revoked: self.init(Denial.identityRevoked)
        case .undetermined: self.init(undecidedAfterAsking: asked)
        case .add:
            self.init(
                "The device may add but not read; readWrite is \(caller.access.readWrite.name)",
                next: Self.remedy(caller.access.readWrite, asked: asked)
            )
        case .limited, .limitedAlbums:
            let seen =
                selectionIsEmpty ? "its own captures, since the selection is empty" : "a selection of the library"
            self.init(
                "The device sees \(seen)",
                next: "to see more, run: tintype-agent selection expand --reason REASON"
            )
        case .full: self.init("The device reads and writes the whole library", next: "nothing to do")
        case .denied:
            let level: AccessLevel = caller.access.addOnly == .notDetermined ? .readWrite : .addOnly
            self.init(Denial.denied(level))
        case .restricted:
            if caller.access.addOnly == .notDetermined {
                self.init(undecidedAfterAsking: asked)
            } else {
                self.init(Denial.restricted(.addOnly))
            }
        case .admin: self.init("Operators may do everything that is not reserved for devices", next: "nothing to do")
        }
    }

    /// Explains that nobody has decided about a level: one that was asked for, or else addOnly.
    private init(undecidedAfterAsking asked: Set<AccessLevel>) {
        let words = Explanation(Denial.notDetermined(asked == [.readWrite] ? .readWrite : .addOnly))
        self.init(words.cause, next: asked.isEmpty ? words.next : Self.alreadyAsked)
    }
}
