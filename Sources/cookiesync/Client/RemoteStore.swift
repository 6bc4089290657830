// SPDX-License-Identifier: Apache-2.0

internal import CookieSyncClient
internal import CookieSyncSocketTransport
internal import CookieSyncWire
internal import Locks

/// The store that the settings name, on the service that they name.
enum RemoteStore {
    /// Calls the service and waits for what comes of it.
    static func call<Answer: Sendable>(
        _ settings: Settings,
        _ body: @escaping @Sendable (StoreClient) async throws(ClientError) -> Answer
    ) throws(Failure) -> Answer {
        let store = try store(settings)
        let slot = Slot<Result<Answer, ClientError>>()
        Task {
            do throws(ClientError) {
                slot.fill(.success(try await body(store)))
            } catch {
                slot.fill(.failure(error))
            }
        }
        switch slot.wait() {
        case .success(let answer): return answer
        case .failure(let error): throw Failure(error)
        }
    }

    private static func store(_ settings: Settings) throws(Failure) -> StoreClient {
        guard let server = ServerAddress(settings.text(.server) ?? ""), !server.isSecure else {
            throw Failure(
                .configuration,
                "server: must be an http URL such as http://127.0.0.1:8080; for https use curl")
        }
        var token: ClientToken?
        if let path = settings.text(.tokenFile) {
            let bytes = try AdminToken.read(path: path, setting: .tokenFile)
            token = ClientToken(String(decoding: bytes, as: UTF8.self))
        }
        return CookieSyncClient(server: server, token: token, transport: SocketTransport())
            .jar(settings.text(.jar) ?? "", of: settings.text(.tenant) ?? "")
            .store(settings.text(.store) ?? "")
    }
}

extension Failure {
    /// What a call came to, in the words of the service, with the places that it points at.
    fileprivate init(_ error: ClientError) {
        let code: ExitCode =
            switch error.code {
            case .denied: .denied
            case .unavailable: .temporary
            case .refused, .conflict: .damaged
            default: .unavailable
            }
        let places = error.problem?.errors.map { item in
            "\n  \(item.pointer) \(item.detail)" + (item.reason.map { ": \($0)" } ?? "")
        }
        self.init(code, Terminal.printable(error.message) + (places ?? []).joined())
    }
}
