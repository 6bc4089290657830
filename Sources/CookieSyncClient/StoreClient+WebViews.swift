// SPDX-License-Identifier: Apache-2.0

public import CookieSyncWire

extension StoreClient {
    /// The script that sets a page's cookies, for a web view to run at the start of the document.
    public func documentCookieScript(for url: String) async throws(ClientError) -> SecretBytes {
        var call = APICall(method: "GET", path: path + ["document-cookie.js"])
        call.query.append(("url", url))
        return SecretBytes(try await caller.answer(call).body)
    }

    /// Everything that a web view needs before it loads pages of these URLs, at most 32.
    public func webViewPlan(for urls: [String]) async throws(ClientError) -> WebViewPlanBody {
        var call = APICall(method: "GET", path: path + ["webview-plan"])
        call.query = urls.map { ("url", $0) }
        return try await caller.body(WebViewPlanBody.self, of: call)
    }
}
