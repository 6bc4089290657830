// SPDX-License-Identifier: Apache-2.0

import Cookies
import HTTPServer
import JarStorage
import Synchronization

// What a caller may do, once it is known who it is. Everything that decides it is here and in the table of routes.

extension Principal {
    /// Checks that the caller may use an operation on what the path names.
    ///
    /// What belongs to another tenant, or lies outside of the token's jars and stores, is answered like what does not
    /// exist. Costs no heap allocation when it is allowed.
    ///
    /// - Throws: `not-found`, or `forbidden`.
    func check(_ access: Route.Access, _ path: PathParameters) throws(Problem) {
        switch self {
        case .anyone: return
        case .admin:
            switch access {
            case .data, .wholeJar:
                throw Problem(
                    .forbidden,
                    "The admin token manages tenants and tokens; use a token of the tenant for jars."
                )
            case .management, .wholeTenant, .operations, .metrics, .anyone, .probe: return
            }
        case .token(let entry): try Self.check(entry.record, access, path)
        }
    }

    private static func check(
        _ token: TokenRecord, _ access: Route.Access, _ path: PathParameters
    ) throws(Problem) {
        try checkNames(token, path)
        switch access {
        case .data(let scopes): try checkScopes(token, scopes)
        case .wholeJar(let scopes):
            try checkScopes(token, scopes)
            guard token.stores.isEmpty else {
                throw Problem(.forbidden, "The token is limited to some stores of the jar.")
            }
        case .management: try checkScopes(token, .admin)
        case .wholeTenant:
            try checkScopes(token, .admin)
            guard token.jars.isEmpty, token.stores.isEmpty else {
                throw Problem(.forbidden, "The token is limited to some jars or stores.")
            }
        case .metrics: try checkScopes(token, .metrics)
        case .operations: throw Problem(.forbidden, "This needs the admin token.")
        case .anyone, .probe: return
        }
    }

    private static func checkNames(_ token: TokenRecord, _ path: PathParameters) throws(Problem) {
        if path.tenant.baseAddress != nil, !path.tenant.isSame(as: token.tenant.bytes) {
            throw .absent("tenant")
        }
        if path.jar.baseAddress != nil, !token.jars.isEmpty,
            !token.jars.contains(where: { path.jar.isSame(as: $0.bytes) })
        {
            throw .absent("jar")
        }
        if path.store.baseAddress != nil, !token.stores.isEmpty,
            !token.stores.contains(where: { path.store.isSame(as: $0.bytes) })
        {
            throw .absent("store")
        }
    }

    private static func checkScopes(_ token: TokenRecord, _ needed: TokenScopes) throws(Problem) {
        let missing = needed.subtracting(token.scopes)
        guard !missing.isEmpty else { return }
        let names = missing.names.map { "`\($0)`" }.joined(separator: " and ")
        throw Problem(.forbidden, "The token lacks the scope \(names).")
    }
}

extension Call {
    /// Checks that the caller may use a store that something else than the path names.
    ///
    /// - Throws: `not-found`, as for a store that there is not.
    func checkUse(of stores: StoreID...) throws(Problem) {
        for store in stores where !principal.mayUse(store) { throw .absent("store") }
    }
}

extension Problem {
    /// What is not there, or not for the caller.
    static func absent(_ what: String) -> Problem {
        Problem(ServiceError.notFound(what))
    }
}

extension CookieSyncService {
    /// The tenant whose limits a request counts towards: the one of its token or, where there are no tokens, the one that
    /// it names.
    func tenantEntry(of principal: Principal, _ path: PathParameters) -> TenantEntry? {
        switch principal {
        case .token(let entry): catalogue.state.tenant(entry.record.tenant)
        case .anyone where catalogue.hasLimits && path.tenant.baseAddress != nil:
            TenantID(path.tenant).flatMap(catalogue.state.tenant)
        case .anyone, .admin: nil
        }
    }

    /// Takes a request into account for the rates of its token and its tenant.
    ///
    /// - Throws: `too-many-requests`.
    func charge(_ principal: Principal, _ tenant: TenantEntry?) throws(Problem) {
        if case .token(let entry) = principal,
            let rate = entry.record.requestsPerSecond ?? settings.tokenRequestsPerSecond
        {
            try admit(rate, entry.use.rate, "token")
        }
        guard let tenant,
            let rate = tenant.record.limits.requestsPerSecond ?? settings.tenantRequestsPerSecond
        else { return }
        try admit(rate, tenant.rate, "tenant")
    }

    /// Checks that a tenant has room left.
    ///
    /// - Throws: `quota-exceeded`.
    func checkRoom(of tenant: TenantEntry) throws(Problem) {
        guard let bytes = tenant.record.limits.bytes else { return }
        // Asked for ahead of the write itself, so the next request finds what this one leaves at the latest.
        storage.usage(of: tenant.record.tenant) { usage in
            guard case .success(let usage) = usage else { return }
            tenant.bytes.store(usage?.bytes ?? 0, ordering: .relaxed)
        }
        guard tenant.bytes.load(ordering: .relaxed) < bytes else {
            throw Problem(
                .quotaExceeded, "The tenant has used its \(bytes) octets; delete something.")
        }
    }

    private func admit(
        _ rate: Int, _ state: borrowing Atomic<Int64>, _ whose: String
    ) throws(Problem) {
        guard RateLimit.admits(rate: rate, state, now: SystemClock.monotonicMicroseconds()) else {
            throw Problem(.tooManyRequests, "The \(whose) may make \(rate) requests in a second.")
        }
    }
}
