import CMediaWorker
import Glibc

/// The confinement of a worker, as the worker found it.
package struct Confinement: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Landlock's version: blocks opening files by name, from version 4 also TCP; 0 if the kernel has none.
    package var landlockVersion: Int
    /// Whether a system call filter is in force: no sockets, no files by name, no new processes or programs.
    package var isFiltered: Bool
    /// What could not be enforced, in words; empty if everything holds.
    package var gaps: [String]

    /// Whether both mechanisms are in force.
    package var isComplete: Bool { gaps.isEmpty }

    /// For logs.
    package var description: String {
        let parts = ["landlock \(landlockVersion)", isFiltered ? "seccomp" : "no seccomp"] + gaps
        return parts.joined(separator: ", ")
    }

    /// Confines this process permanently by limits of memory and file size, as far as the kernel allows, and returns
    /// the confinement in force.
    ///
    /// Call it before reading anything from outside, but after libraries have loaded what they load by name.
    static func enter(_ limits: MediaLimits) -> Confinement {
        var confinement = Confinement(landlockVersion: 0, isFiltered: false, gaps: [])
        func note(_ status: Int32, _ what: String) -> Bool {
            if status != 0 { confinement.gaps.append("\(what): error \(status)") }
            return status == 0
        }
        _ = note(tt_renounce_privileges(), "privileges")
        _ = note(tt_step_back(Int32(clamping: limits.niceness)), "niceness")
        let memory = UInt64(clamping: limits.memoryByteCount)
        let bounds: [(Int32, UInt64, String)] = [
            (tt_limit_core, 0, "core files"),
            (tt_limit_memory, memory, "memory"),
            (tt_limit_address_space, memory + UInt64(clamping: limits.mappedByteCount), "address space"),
            (tt_limit_file_size, UInt64(clamping: limits.outputByteCount), "output"),
            (tt_limit_open_files, 32, "open files"),
        ]
        for (resource, bound, name) in bounds { _ = note(tt_limit(resource, bound), "limit of \(name)") }
        let version = tt_landlock_version()
        if version == 0 {
            confinement.gaps.append("the kernel has no Landlock")
        } else if note(tt_landlock_deny_all(version), "Landlock") {
            confinement.landlockVersion = Int(version)
        }
        if tt_audit_architecture == 0 {
            confinement.gaps.append("no filter of system calls for this processor")
        } else {
            let program = SystemCallFilter.program
            let status = unsafe program.withUnsafeBufferPointer { instructions in
                unsafe tt_seccomp_install(instructions.baseAddress, UInt16(clamping: instructions.count))
            }
            confinement.isFiltered = note(status, "filter of system calls")
        }
        return confinement
    }
}

/// The system call filter, as a program for seccomp(2).
///
/// Calls not listed are refused with EPERM, so that a library that merely tries one continues without it; no listed
/// call opens, connects, starts or traces.
enum SystemCallFilter {
    private static let load = UInt16(BPF_LD | BPF_W | BPF_ABS)
    private static let jumpIfEqual = UInt16(BPF_JMP | BPF_JEQ | BPF_K)
    private static let jumpIfAnyBit = UInt16(BPF_JMP | BPF_JSET | BPF_K)
    private static let answer = UInt16(BPF_RET | BPF_K)

    // Offsets within struct seccomp_data on a little-endian machine.
    private static let numberOffset: UInt32 = 0
    private static let architectureOffset: UInt32 = 4
    private static func argumentOffset(_ index: UInt32) -> UInt32 { 16 + 8 * index }

    private static let allow = UInt32(SECCOMP_RET_ALLOW)
    private static func refuse(_ error: Int32) -> UInt32 { UInt32(SECCOMP_RET_ERRNO) | UInt32(error) }

    static var program: [sock_filter] {
        var program = [
            sock_filter(code: load, jt: 0, jf: 0, k: architectureOffset),
            sock_filter(code: jumpIfEqual, jt: 1, jf: 0, k: tt_audit_architecture),
            sock_filter(code: answer, jt: 0, jf: 0, k: refuse(EPERM)),
            sock_filter(code: load, jt: 0, jf: 0, k: numberOffset),
        ]
        for number in needed {
            program += [
                sock_filter(code: jumpIfEqual, jt: 0, jf: 1, k: UInt32(number)),
                sock_filter(code: answer, jt: 0, jf: 0, k: allow),
            ]
        }
        // glibc falls back to clone, whose flags the filter can see.
        program += when(tt_call_clone3, [sock_filter(code: answer, jt: 0, jf: 0, k: refuse(ENOSYS))])
        program += when(tt_call_clone, ifArgument(0, jumpIfAnyBit, tt_flag_thread))
        program += when(tt_call_newfstatat, ifArgument(3, jumpIfAnyBit, tt_flag_empty_path))
        program += when(tt_call_prlimit64, ifArgument(0, jumpIfEqual, 0))
        program.append(sock_filter(code: answer, jt: 0, jf: 0, k: refuse(EPERM)))
        return program
    }

    private static var needed: [Int32] { (0..<tt_needed_system_call_count()).map(tt_needed_system_call) }

    private static func when(_ number: Int32, _ body: [sock_filter]) -> [sock_filter] {
        [sock_filter(code: jumpIfEqual, jt: 0, jf: UInt8(body.count), k: UInt32(number))] + body
    }

    private static func ifArgument(_ index: UInt32, _ jump: UInt16, _ value: UInt32) -> [sock_filter] {
        [
            sock_filter(code: load, jt: 0, jf: 0, k: argumentOffset(index)),
            sock_filter(code: jump, jt: 0, jf: 1, k: value),
            sock_filter(code: answer, jt: 0, jf: 0, k: allow),
            sock_filter(code: answer, jt: 0, jf: 0, k: refuse(EPERM)),
        ]
    }
}
