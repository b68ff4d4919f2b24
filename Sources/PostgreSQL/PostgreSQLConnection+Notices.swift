internal import CPostgreSQL
import Glibc

extension PostgreSQLConnection {
    /// The descriptor that becomes readable when the server sends something.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Reads the payloads of all of other sessions' notices that have arrived, without waiting for more.
    ///
    /// If the connection has ended, reads up to the end: its last bytes and its end may be signalled together.
    ///
    /// - Throws: `unavailable` if the connection has ended.
    func arrivedNotices() throws(PostgreSQLError) -> [String] {
        var payloads: [String] = []
        var isRead = true
        repeat {
            isRead = unsafe PQconsumeInput(handle) == 1
            while let notice = unsafe PQnotifies(handle) {
                if unsafe notice.pointee.be_pid != PQbackendPID(handle), let payload = unsafe notice.pointee.extra {
                    unsafe payloads.append(String(cString: payload))
                }
                unsafe PQfreemem(notice)
            }
        } while isRead && isReadable
        guard isRead, !isLost else {
            throw PostgreSQLError(.unavailable, "the listening connection has ended")
        }
        return payloads
    }

    /// Whether a read would not block, which is also true at the end of a connection.
    private var isReadable: Bool {
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, 0) > 0
    }
}
