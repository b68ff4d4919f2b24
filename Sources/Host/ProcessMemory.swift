import CProcessMemory
import Glibc

/// The resident file-backed pages of the program and its libraries: code and constants.
///
/// For each touched page the kernel maps fifteen more around it, and all count as the process's. At rest forty
/// megabytes stay mapped, of which a few are in use.
package enum ProgramPages {
    /// Releases all of them (`MADV_DONTNEED`, madvise(2)); pages in use return from the page cache when touched.
    package static func release() {
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

    /// Releases all of them now and after every interval, until the task is cancelled.
    package static func release(every interval: Duration) async {
        repeat { release() } while (try? await Task.sleep(for: interval)) != nil
    }
}

/// The heap of the process.
package enum ProcessHeap {
    /// Shares a number of heaps among all threads (`M_ARENA_MAX`, mallopt(3)).
    ///
    /// By default glibc gives threads up to eight per processor, each of which keeps what its threads have freed and
    /// grows page by page, with a call each.
    package static func limitArenas(to count: Int) { mallopt(M_ARENA_MAX, Int32(clamping: count)) }
}
