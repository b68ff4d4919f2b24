import Glibc
import Persistence
import TestSupport
import Testing

@testable import AgentCapture

struct FolderOwnerTests {
    @Test("root is sent away from another user's folder; everybody else, and root from its own, is not")
    func root() throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        if geteuid() == 0 {
            try FolderOwner.check(path, as: 0)
            try #require(unsafe chown(path.text, 65534, 65534) == 0)
        }
        let error = #expect(throws: AgentError.self) { try FolderOwner.check(path, as: 0) }
        #expect(error?.exit == .configuration && error?.description.contains("with sudo -u ") == true)
        try FolderOwner.check(path, as: 65534)
        try FolderOwner.check(path.appending("none"), as: 0)
    }
}
