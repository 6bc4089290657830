// SPDX-License-Identifier: Apache-2.0

import JarStorage
import Locks

/// What is wrong at the moment, tenant by tenant, for readiness.
final class FaultRegister: Sendable {
    private let faults = Locked<[TenantID: JarStorageError]>([:])

    /// Writes down what keeps a tenant from taking writes; answers whether it is news.
    func set(_ error: JarStorageError, for tenant: TenantID) -> Bool {
        faults.withLock { $0.updateValue(error, forKey: tenant) != error }
    }

    /// Writes down that a tenant takes writes again.
    func clear(_ tenant: TenantID) {
        faults.withLock { faults in
            if !faults.isEmpty { faults[tenant] = nil }
        }
    }

    /// Whether some tenant has a fault that may be the disk's.
    var suggestsDisk: Bool {
        faults.withLock { $0.values.contains { $0 == .unavailable || $0 == .readOnly } }
    }

    /// Everything that is wrong, by tenant.
    var all: [StorageFault] {
        faults.withLock { $0 }.sorted { $0.key < $1.key }.map {
            StorageFault(code: Self.code(of: $0.value), tenant: $0.key)
        }
    }

    /// The stable word for a failure.
    static func code(of error: JarStorageError) -> String {
        switch error {
        case .busy: "storage-busy"
        case .unavailable, .inDoubt, .revisionConflict, .keyReused, .notPermitted:
            "storage-unavailable"
        case .full: "storage-full"
        case .corrupt: "storage-corrupt"
        case .integrity: "integrity-failure"
        case .schemaTooNew: "schema-too-new"
        case .readOnly: "read-only"
        }
    }
}
