import CProcessMemory
import Glibc
import ServiceLifecycle

/// What is in memory of the files of the program and its libraries: code and constants.
///
/// Around each page of them that is touched the kernel maps fifteen more, which all count as the process's: at rest a few
/// megabytes are in use of forty that stay mapped.
enum ProgramPages {
    /// Lets go of all of them (`MADV_DONTNEED`, madvise(2)); what is in use comes back from the page cache when it is touched.
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
        // Of a segment that can be written the pages are the process's own, and would be lost.
        guard header.p_type == PT_LOAD, header.p_flags & UInt32(PF_W) == 0 else { return }
        let pageSize = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        // Whole pages within the segment: its edges may lie on pages of its neighbours.
        let start = (base + header.p_vaddr + pageSize - 1) / pageSize * pageSize
        let end = (base + header.p_vaddr + header.p_memsz) / pageSize * pageSize
        guard start < end else { return }
        _ = unsafe madvise(UnsafeMutableRawPointer(bitPattern: UInt(start)), Int(end - start), MADV_DONTNEED)
    }
}

/// Lets a running agent take no more memory at rest than it uses: what starting and the last transfer touched goes again.
struct ProgramPagesService: Service {
    /// Until what starting takes has been touched.
    private static let start = Duration.seconds(15)
    /// Long enough that what comes back costs nothing: some milliseconds in five minutes.
    private static let interval = Duration.seconds(300)

    func run() async {
        await cancelWhenGracefulShutdown {
            // A cancelled sleep only means that the service ends.
            var pause = Self.start
            while (try? await Task.sleep(for: pause)) != nil {
                ProgramPages.release()
                pause = Self.interval
            }
        }
    }
}
