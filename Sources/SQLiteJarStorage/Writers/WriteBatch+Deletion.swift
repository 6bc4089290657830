// SPDX-License-Identifier: Apache-2.0

extension WriteBatch {
    /// Does the jobs and completes their calls in their order.
    ///
    /// What was queued before a deletion is committed before it.
    static func run(_ jobs: [Job], on writer: TenantWriter) {
        var rest = jobs[...]
        while let index = rest.firstIndex(where: \.isDeletion) {
            runTogether(rest[..<index], on: writer)
            if case .delete(let completion) = rest[index] { completion(writer.deleteFiles()) }
            rest = rest[(index + 1)...]
        }
        runTogether(rest, on: writer)
    }
}
