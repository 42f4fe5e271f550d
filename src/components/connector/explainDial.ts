import { codeOf } from '../../api/startError.ts'

/** Why a database cannot be reached, as the end of a sentence that begins with its name. */
export function explainDial(error: unknown): string {
  const code = codeOf(error)
  switch (code) {
    case 'ECONNREFUSED':
      return 'refuses connections: nothing listens there'
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return 'has a name that this host does not know'
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return 'has an address to which there is no way'
    case 'ETIMEDOUT':
      return 'did not answer in time'
    case 'EMFILE':
    case 'ENFILE':
      return 'cannot be dialled: this host has no file descriptors left'
    default:
      return `cannot be reached (${code || 'no reason given'})`
  }
}
