// SPDX-License-Identifier: Apache-2.0

import CookieSyncWire
import HTTPServer
import JarStorage

extension CookieSyncService {
    /// How long a caller is kept waiting; the run itself goes on.
    private static let maintenanceSeconds = ServerConfiguration.maximumHandlerSeconds

    /// `POST /v1/admin/backup`.
    func backUp(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let maintenance = try requireMaintenance()
        let body = try call.decode(BackupBody.self)
        guard let name = BackupName(body.name) else { throw .invalid("/name", BackupName.rule) }
        let responder = later(call, &exchange, within: Self.maintenanceSeconds)
        let id = call.id
        maintenance.backUp(as: name) { [self] result in
            responder.send(answer(result, backup: name, id))
        }
    }

    /// `POST /v1/admin/verify`.
    func verify(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let maintenance = try requireMaintenance()
        let responder = later(call, &exchange, within: Self.maintenanceSeconds)
        let id = call.id
        maintenance.verify { [self] result in responder.send(answer(result, backup: nil, id)) }
    }

    /// `POST /v1/admin/encrypt`.
    func encrypt(_ call: Call, _ exchange: inout HTTPExchange) throws(Problem) {
        let maintenance = try requireMaintenance()
        let responder = later(call, &exchange, within: Self.maintenanceSeconds)
        let id = call.id
        maintenance.encrypt { [self] result in responder.send(answer(result, backup: nil, id)) }
    }

    private func requireMaintenance() throws(Problem) -> any StorageMaintenance {
        guard let maintenance else {
            throw Problem(.notImplemented, "This storage has tools of its own for that.")
        }
        return maintenance
    }

    private func answer(
        _ result: MaintenanceResult, backup: BackupName?, _ id: RequestID
    ) -> HTTPResponse {
        switch result {
        case .success(let report): .json(MaintenanceBody(report, backup: backup), id)
        case .failure(.running):
            problem(Problem(.busy, "Another backup, check or encryption is under way."), id)
        case .failure(.nameTaken):
            problem(.invalid("/name", "There is a backup of that name already."), id)
        case .failure(.noKey):
            problem(Problem(.notImplemented, "The service has no key file."), id)
        case .failure(.storage(let error)): problem(Problem(ServiceError.storage(error)), id)
        }
    }
}
