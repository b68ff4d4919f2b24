import CVideo4Linux
import Capture
import Glibc

/// A dedicated thread for work that waits for a device.
enum NamedThread {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Starts a thread, named for `top` and debuggers with at most 15 bytes, which ends with its work.
    ///
    /// If no thread can be created, the work is done on the caller's. The corresponding C function is `pthread_create`.
    static func run(_ name: String, _ body: @escaping @Sendable () -> Void) {
        let work = unsafe Unmanaged.passRetained(Work(name: name, body: body))
        var thread = pthread_t()
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        unsafe pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        let status = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                let work = unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
                unsafe tt_name_thread(work.name)
                work.body()
                return nil
            },
            unsafe work.toOpaque()
        )
        unsafe pthread_attr_destroy(&attributes)
        if status != 0 { unsafe work.takeRetainedValue().body() }
    }

    /// Does work on its own thread and awaits it without blocking another; when the task is cancelled, `onCancel` ends
    /// the work, which is otherwise not interrupted.
    static func value<Value: Sendable>(
        _ name: String,
        onCancel: @escaping @Sendable () -> Void = {},
        _ body: @escaping @Sendable () throws(CaptureError) -> Value
    ) async throws(CaptureError) -> Value {
        let result: Result<Value, CaptureError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                run(name) { continuation.resume(returning: Result(catching: body)) }
            }
        } onCancel: {
            onCancel()
        }
        return try result.get()
    }
}
