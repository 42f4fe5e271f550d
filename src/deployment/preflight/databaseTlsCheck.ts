import { listOf } from '../../base/words.ts'
import { type Check, ok, warning } from './checkContract.ts'
import { readingAt } from './masterCheck.ts'

/** Checks that the source of a replica has to prove itself, where the file says that databases have to. */
export const databaseTlsCheck: Check = {
  id: 'database-tls',
  describe: ({ host }, { config, subjects }) => {
    const { databaseAuthority, database } = host
    if (databaseAuthority === undefined) return ok('not checked: database-tls-authority is not set')
    const own = config.services.flatMap((one) => one.datasources).find(({ name }) => name === host.name)
    const logins = subjects.flatMap((one) => one.logins ?? [])
    const reading = own && readingAt(own, logins)
    if (reading === undefined) return ok('not checked: no installed manager could read its database')
    const { follows, unproven = [] } = reading
    if (follows.length === 0) return ok('its database follows no other')
    if (unproven.length === 0) return ok('its database follows only one that proves itself by a certificate')
    const word = database?.type === 'mysql' ? 'SOURCE' : 'MASTER'
    return warning(
      `its database follows ${listOf(unproven)}, which need not prove itself to it`,
      `Stop its replication, and give it ${word}_SSL=1, ${word}_SSL_CA='${databaseAuthority}' and ${word}_SSL_VERIFY_SERVER_CERT=1.`,
    )
  },
}
