// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// What a change of a jar came to.
struct Changed<Answer: Sendable>: Sendable {
    /// What the operation returned.
    let answer: Answer
    /// The jar's revision after it; in a dry run, as it is.
    let revision: Revision
}

extension JarStorage {
    /// Runs an operation on a jar, for good or, as a dry run, on a draft that is dropped.
    func change<Answer: Sendable>(
        _ address: JarAddress, isDryRun: Bool = false,
        operation: @escaping @Sendable (inout JarDraft) -> Answer,
        completion: @escaping @Sendable (Result<Changed<Answer>, ServiceError>) -> Void
    ) {
        guard isDryRun else {
            return write(address, operation: operation) { result in
                completion(
                    result.map {
                        Changed(answer: $0.answer, revision: $0.snapshot.state.revision)
                    }.mapError(ServiceError.storage))
            }
        }
        read(address) { result in
            completion(
                result.map { snapshot in
                    var draft = JarDraft(snapshot.state)
                    return Changed(answer: operation(&draft), revision: snapshot.state.revision)
                }.mapError(ServiceError.storage))
        }
    }
}
