import { errorCode, systemReason } from '../base/systemErrors.ts'
import type { ClientErrorFacts } from './clientError.ts'

type Explanation = (place: string) => ClientErrorFacts

const refused: Explanation = (place) => ({
  code: 'refused',
  message: `The connection to ${place} was refused: nothing listens there.`,
  fix: 'Check the address and the port, and that the API runs and listens on that address.',
})

const noSocket: Explanation = (place) => ({
  code: 'no-socket',
  message: `Nothing listens at ${place}.`,
  fix: 'Check that the component runs.',
})

const socketForbidden: Explanation = (place) => ({
  code: 'socket-forbidden',
  message: `Permission denied for ${place}.`,
  fix: 'Make the call as the service user or as root: only they can open it.',
})

const unreachable: Explanation = (place) => ({
  code: 'unreachable',
  message: `No route to ${place}.`,
  fix: 'Check the address, the route to it and the firewalls on the way.',
})

const nameNotFound: Explanation = (place) => ({
  code: 'name-not-found',
  message: `The host name of ${place} could not be found.`,
  fix: 'Check how the name is spelled, or use the address.',
})

const timedOut: Explanation = (place) => ({
  code: 'timeout',
  message: `The connection to ${place} timed out.`,
  fix: 'Check the address and the firewalls on the way: one of them may drop packets.',
})

const reset: Explanation = (place) => ({
  code: 'reset',
  message: `${place} closed the connection before the response was complete.`,
  fix: 'Try again. If it fails again, read the log of the component.',
})

const untrusted: Explanation = (place) => ({
  code: 'certificate-untrusted',
  message: `The certificate of ${place} is not signed by an authority that this call trusts.`,
  fix: 'Use the certificate of the authority that signed it.',
})

const expired: Explanation = (place) => ({
  code: 'certificate-expired',
  message: `The certificate of ${place}, or of its authority, has expired.`,
  fix: 'Renew the certificate, or correct the clock of this machine if it is wrong.',
})

const notYetValid: Explanation = (place) => ({
  code: 'certificate-not-yet-valid',
  message: `The certificate of ${place}, or of its authority, is not valid yet.`,
  fix: 'Check the clocks of this machine and of the host: one of them is wrong.',
})

const badTls: Explanation = (place) => ({
  code: 'tls',
  message: `TLS with ${place} failed.`,
  fix: 'Check the port: the program that listens there does not support TLS 1.2 or 1.3.',
})

const badAnswer: Explanation = (place) => ({
  code: 'bad-answer',
  message: `The response of ${place} is not HTTP.`,
  fix: 'Check the port: another program may listen there.',
})

/** Error codes of Node.js and of OpenSSL (`X509_verify_cert_error_string`), explained for the caller. */
const explanations: Readonly<Record<string, Explanation>> = {
  ECONNREFUSED: refused,
  ENOENT: noSocket,
  EACCES: socketForbidden,
  EPERM: socketForbidden,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  EADDRNOTAVAIL: unreachable,
  EINVAL: unreachable,
  ENOTFOUND: nameNotFound,
  EAI_AGAIN: nameNotFound,
  ETIMEDOUT: timedOut,
  ECONNRESET: reset,
  ECONNABORTED: reset,
  EPIPE: reset,
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_REJECTED: untrusted,
  CERT_CHAIN_TOO_LONG: untrusted,
  INVALID_CA: untrusted,
  INVALID_PURPOSE: untrusted,
  CERT_HAS_EXPIRED: expired,
  CERT_NOT_YET_VALID: notYetValid,
  EPROTO: badTls,
}

/** Explains an error of Node.js. `place` names the endpoint. */
export function explainFailure({ error, place }: { error: unknown; place: string }): ClientErrorFacts {
  const code = errorCode(error) ?? ''
  const known = explanations[code]
  if (known !== undefined) return known(place)
  if (code.startsWith('HPE_')) return badAnswer(place)
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) return badTls(place)
  return {
    code: 'failed',
    message: `The call of ${place} failed${code === '' ? '' : `: ${systemReason(code) ?? code}`}.`,
    fix: 'Try again. If it fails again, report it with the code.',
  }
}

/** Explains authorities that are not PEM certificates: OpenSSL would ignore them and trust none. */
export const explainAuthority = (place: string): ClientErrorFacts => ({
  code: 'bad-authority',
  message: `The authority for ${place} could not be read as PEM certificates.`,
  fix: 'Use a PEM text with a BEGIN CERTIFICATE line, such as authority.crt.',
})

/** Explains a trusted certificate that is not the pinned one. */
export const explainPinMismatch = (facts: {
  readonly place: string
  readonly serial: string
}): ClientErrorFacts => ({
  code: 'certificate-other',
  message: `${facts.place} does not use its new certificate but the one with serial number ${facts.serial}.`,
  fix: 'Read the log of the component: it shows why the new certificate is not in use.',
})

/** Explains a trusted certificate for other hosts. */
export function explainNameMismatch(facts: {
  readonly place: string
  readonly wanted: readonly string[]
  /** In the format of `tls.checkServerIdentity`, such as `DNS:db1, IP Address:10.0.0.11`. */
  readonly found: string
}): ClientErrorFacts {
  return {
    code: 'certificate-names',
    message: `The certificate of ${facts.place} is for ${facts.found || 'no name at all'}, not for ${facts.wanted.join(' or ')}.`,
    fix: 'Call the host by a name in its certificate, or install a certificate with this name.',
  }
}
