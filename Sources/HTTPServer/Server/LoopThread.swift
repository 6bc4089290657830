// SPDX-License-Identifier: Apache-2.0

internal import CLinux
internal import Dispatch
internal import Glibc

/// The thread of an event loop.
enum LoopThread {
    private static let stackBytes = 1 << 20

    private final class Launch: Sendable {
        let seed: LoopSeed
        let group: DispatchGroup

        init(_ seed: LoopSeed, _ group: DispatchGroup) {
            self.seed = seed
            self.group = group
        }

        func run() {
            var loop = EventLoop(seed)
            loop.run()
        }
    }

    /// Runs a loop on a thread of its own, counted in a group until it has ended.
    ///
    /// - Throws: `system`, if there can be no more threads.
    static func run(_ seed: LoopSeed, in group: DispatchGroup) throws(ServerStartError) {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackBytes)
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        group.enter()
        let launch = Unmanaged.passRetained(Launch(seed, group))
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { return nil }
                pthread_setname_np(pthread_self(), "http-loop")
                let group: DispatchGroup
                do {
                    // Released before the group is left, so that whoever waits finds everything closed.
                    let launch = Unmanaged<Launch>.fromOpaque(argument).takeRetainedValue()
                    group = launch.group
                    launch.run()
                }
                group.leave()
                return nil
            }, launch.toOpaque())
        guard result == 0 else {
            launch.release()
            group.leave()
            throw .system(call: "pthread_create", errno: result)
        }
    }
}
