// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

/// Sets which addresses belong to a host (design section 2.5).
struct PutHost: Sendable {
    /// The host and its addresses.
    let record: HostRecord

    /// Sets them and answers whether the host is new.
    func run(
        of tenant: TenantID, storage: any JarStorage,
        completion: @escaping @Sendable (Result<Bool, ServiceError>) -> Void
    ) {
        let record = record
        storage.changeRecords(
            of: tenant,
            operation: { draft throws(ServiceError) in
                let isNew = draft.hosts[record.host] == nil
                guard !isNew || draft.hosts.records.count < HostTable.maximumHosts else {
                    throw .tooMany("hosts")
                }
                draft.set(record)
                return isNew
            }, completion: completion)
    }
}

/// Takes a host out of a tenant's table.
struct DeleteHost: Sendable {
    /// The host.
    let host: Host

    /// Takes it out, if it is there.
    func run(
        of tenant: TenantID, storage: any JarStorage,
        completion: @escaping @Sendable (Result<Bool, ServiceError>) -> Void
    ) {
        let host = host
        storage.changeRecords(
            of: tenant, operation: { draft throws(ServiceError) in draft.remove(host) },
            completion: completion)
    }
}
