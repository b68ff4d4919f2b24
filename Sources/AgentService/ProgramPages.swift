import CProcessMemory
import Glibc
import ServiceLifecycle

/// The resident file-backed pages of the program and its libraries: code and constants.
///
/// For each touched page the kernel maps fifteen more around it, and all count as the process's. At rest forty
/// megabytes stay mapped, of which a few are in use.
enum ProgramPages {
    /// Releases all of them (`MADV_DONTNEED`, madvise(2)); pages in use return from the page cache when touched.
    static func release() {
        _ = unsafe dl_iterate_phdr(
            { object, _, _ in
                guard let object = unsafe object?.pointee else { return 0 }
                for index in 0..<Int(unsafe object.header_count) {
                    unsafe ProgramPages.release(object.headers[index], of: object.base)
                }
                return 0
            },
            nil
        )
    }

    private static func release(_ header: Elf64_Phdr, of base: Elf64_Addr) {
        // Pages of writable segments are the process's own, and would be lost.
        guard header.p_type == PT_LOAD, header.p_flags & UInt32(PF_W) == 0 else { return }
        let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        // Whole pages within the segment: its edges may share pages with its neighbours.
        let start = (base + header.p_vaddr + pageSize - 1) / pageSize * pageSize
        let end = (base + header.p_vaddr + header.p_memsz) / pageSize * pageSize
        guard start < end else { return }
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: UInt(start)), Int(end - start), MADV_DONTNEED)
    }
}

/// The heap of the process.
package enum ProcessHeap {
    /// Uses a single heap for all threads, none of which allocates much: glibc's other arenas grow page by page, with a
    /// call each (`M_ARENA_MAX`, mallopt(3)).
    package static func useSingleArena() { mallopt(M_ARENA_MAX, 1) }
}

/// Keeps a running agent's memory at rest to what it uses, by releasing pages that only startup and transfers touched.
struct ProgramPagesService: Service {
    /// Until startup has touched everything it needs.
    private static let start = Duration.seconds(15)
    /// Long enough that reloading costs nothing: some milliseconds in five minutes.
    private static let interval = Duration.seconds(300)

    func run() async {
        await cancelWhenGracefulShutdown {
            // A cancelled sleep just means that the service ends.
            var pause = Self.start
            while (try? await Task.sleep(for: pause)) != nil {
                ProgramPages.release()
                pause = Self.interval
            }
        }
    }
}
