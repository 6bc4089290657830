// SPDX-License-Identifier: Apache-2.0

import JarStorage

extension JarStorage {
    /// Runs an operation on a tenant's records; one that throws has changed nothing.
    func changeRecords<Answer: Sendable>(
        of tenant: TenantID,
        operation: @escaping @Sendable (inout TenantDraft) throws(ServiceError) -> Answer,
        completion: @escaping @Sendable (Result<Answer, ServiceError>) -> Void
    ) {
        writeTenant(
            tenant,
            operation: { draft -> Result<Answer, ServiceError> in
                do throws(ServiceError) {
                    return .success(try operation(&draft))
                } catch {
                    draft.discard()
                    return .failure(error)
                }
            },
            completion: { result in
                completion(result.mapError(ServiceError.storage).flatMap(\.answer))
            })
    }
}
