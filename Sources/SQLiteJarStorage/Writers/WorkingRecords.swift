// SPDX-License-Identifier: Apache-2.0

import JarStorage

/// A tenant's records, once a round of its writer has touched them.
struct WorkingRecords {
    let base: TenantState
    var state: TenantState
    var changes: [TenantChange] = []
    /// Why its changes were not committed.
    var failure: JarStorageError?

    init(_ base: TenantState) {
        self.base = base
        state = base
    }
}
