internal import CPostgreSQL
import Glibc

extension PostgreSQLConnection {
    /// The descriptor that becomes readable when the server sends something.
    var socket: Int32 { unsafe PQsocket(handle) }

    /// Reads all that has arrived, without waiting for more.
    ///
    /// Up to the end, if the connection has ended: whoever watches the descriptor may be told of its last bytes and of its end
    /// at once.
    ///
    /// - Returns: the payloads of other sessions' notices.
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

    /// Whether more can be read at once; the end of a connection can.
    private var isReadable: Bool {
        var watched = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, 0) > 0
    }
}
