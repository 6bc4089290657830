// SPDX-License-Identifier: Apache-2.0

import Cookies
import JarStorage

// An address in a URL stands for the host that it belongs to (HTTPDNS, design section 2.5). What a tenant's table of
// hosts says may change between two requests, so URLs are read first and put in their place when the table is at hand.

extension HostTable {
    /// The same URL, of the host that its address belongs to.
    func actual(
        _ url: CookieURL, expecting expected: Host? = nil
    ) throws(ServiceError) -> CookieURL {
        guard url.host.isAddress else { return url }
        return url.acting(as: try actual(host: url.host, expecting: expected))
    }

    /// The host that is meant by one that may be an address.
    func actual(host: Host, expecting expected: Host? = nil) throws(ServiceError) -> Host {
        do throws(AmbiguousAddress) {
            return try actual(host, expecting: expected)
        } catch {
            throw .ambiguousAddress(error.address)
        }
    }

    /// The same request, of the host that its address belongs to.
    func actual(_ request: RequestContext?) throws(ServiceError) -> RequestContext? {
        guard let request, request.url.host.isAddress else { return request }
        return RequestContext(
            url: try actual(request.url), httpAPI: request.httpAPI,
            sameSiteContext: request.sameSiteContext, partitionKey: request.partitionKey)
    }

    /// The same response, of the host that its address belongs to.
    ///
    /// A page at an address that is not to be told apart stays what it is: a site of its own.
    func actual(_ context: ResponseContext) throws(ServiceError) -> ResponseContext {
        var context = context
        context.url = try actual(context.url)
        if let page = context.mainDocument {
            context.mainDocument = (try? actual(page, expecting: context.url.host)) ?? page
        }
        return context
    }

    /// The same filter of a sync, of the host that its address belongs to.
    func actual(_ filter: SyncFilter) throws(ServiceError) -> SyncFilter {
        var filter = filter
        if let url = filter.url { filter.url = try actual(url) }
        return filter
    }

    /// The same scope, of the host that its address belongs to.
    func actual(_ scope: CookieFilter.Scope) throws(ServiceError) -> CookieFilter.Scope {
        guard case .url(let url) = scope else { return scope }
        return .url(try actual(url))
    }
}

extension ResponseContext {
    /// Whether a table of hosts has to be asked.
    var namesAddress: Bool { url.host.isAddress || mainDocument?.isAddress == true }
}

extension CookieFilter {
    /// The same filter, of the host that the address of its URL belongs to.
    func actual(by hosts: HostTable) throws(ServiceError) -> CookieFilter {
        var filter = self
        filter.scope = try hosts.actual(scope)
        return filter
    }
}

extension CookieFilter.Scope {
    /// Whether a table of hosts has to be asked.
    var namesAddress: Bool {
        guard case .url(let url) = self else { return false }
        return url.host.isAddress
    }
}
