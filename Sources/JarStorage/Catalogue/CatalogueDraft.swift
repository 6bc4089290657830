// SPDX-License-Identifier: Apache-2.0

/// One step of what an operation changes.
public enum CatalogueChange: Hashable, Sendable {
    /// Makes a tenant, or changes it.
    case putTenant(CatalogueTenant)
    /// Forgets a tenant.
    case removeTenant(TenantID)
    /// Makes a token, or changes it.
    case putToken(TokenRecord)
    /// Revokes a token of that tenant.
    case removeToken(TokenID, of: TenantID)

    /// Whose it is.
    public var tenant: TenantID {
        switch self {
        case .putTenant(let record): record.tenant
        case .removeTenant(let tenant): tenant
        case .putToken(let record): record.tenant
        case .removeToken(_, let tenant): tenant
        }
    }
}

/// The catalogue as an operation sees it and changes it.
public struct CatalogueDraft {
    /// The catalogue with the changes made so far.
    public private(set) var state: CatalogueState
    /// What has been changed, in order; nothing when the operation only looked.
    public private(set) var changes: [CatalogueChange] = []

    /// A draft of that state.
    public init(_ state: CatalogueState) { self.state = state }

    /// Makes a change.
    public mutating func apply(_ change: CatalogueChange) {
        changes.append(change)
        state = state.applying([change])
    }

    /// Revokes every token of a tenant.
    public mutating func removeTokens(of tenant: TenantID) {
        let removals = state.tokens(of: tenant).map {
            CatalogueChange.removeToken($0.record.id, of: tenant)
        }
        changes += removals
        state = state.applying(removals)
    }
}
