import Authorization
import LibraryAPI
import LibraryClient
import Testing

@testable import AgentCapture
@testable import AgentService

struct AgentExitTests {
    private func ending(_ denial: Denial) -> (exit: AgentExit?, words: String) {
        let error = LibraryClientError(ProblemDetails(denial.code, Explanation(denial).description))
        return (AgentExit(for: error), "\(error)")
    }

    @Test("T23: a level that is too low ends a command with a status of its own, and with the reason and the next step")
    func levels() {
        let needs: [Denial.Requirement] = [.limited, .grantedAlbum, .authorized, .administrator]
        var refused = needs.flatMap { need in
            AuthorizationStatus.allCases.map { Denial.scope(needs: need, readWrite: $0) }
        }
        for level in AccessLevel.allCases {
            refused += [.denied(level), .restricted(level)]
            let undecided = ending(.notDetermined(level))
            #expect(undecided.exit?.rawValue == 4)
            #expect(undecided.words.contains(Explanation(.notDetermined(level)).description))
        }
        refused += [.pickingRestricted, .draining, .identityRevoked, .operatorsOnly, .devicesOnly]
        for denial in refused {
            let (exit, words) = ending(denial)
            #expect(exit?.rawValue == 77, "\(denial)")
            #expect(words.contains(Explanation(denial).description), "\(denial)")
        }
    }

    @Test("T23: no refusal ends a command with 0", arguments: ErrorCode.allCases)
    func refusals(code: ErrorCode) {
        let exit = AgentExit(for: LibraryClientError(ProblemDetails(code, "No.")))
        #expect(exit != nil && exit?.rawValue != 0)
    }
}
