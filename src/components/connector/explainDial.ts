import { errorCode, systemReason } from '../../base/systemErrors.ts'

/** Why a database cannot be reached, as the end of a sentence that begins with its name. */
export function explainDial(error: unknown): string {
  const code = errorCode(error)
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections: nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a name that this host does not know'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'has an address to which this host has no route'
    case 'ETIMEDOUT':
      return 'did not answer in time'
    default:
      return `cannot be reached (${systemReason(code) ?? code ?? 'no reason given'})`
  }
}
