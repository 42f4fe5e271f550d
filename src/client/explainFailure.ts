import { errorCode, systemReason } from '../base/systemErrors.ts'
import type { ClientErrorFacts } from './clientError.ts'

type Explanation = (place: string) => ClientErrorFacts

const refused: Explanation = (place) => ({
  code: 'refused',
  message: `The connection to ${place} was refused: nothing listens there.`,
  fix: 'Check the address and the port, and whether the API runs and listens on that address.',
})

const noSocket: Explanation = (place) => ({
  code: 'no-socket',
  message: `Nothing is listening at ${place}.`,
  fix: 'Check whether the component runs.',
})

const socketForbidden: Explanation = (place) => ({
  code: 'socket-forbidden',
  message: `There is no permission to open ${place}.`,
  fix: 'Only the service user and root can open it: call as one of them.',
})

const unreachable: Explanation = (place) => ({
  code: 'unreachable',
  message: `There is no way through the network to ${place}.`,
  fix: 'Check the address, the route to it and any firewall between.',
})

const nameNotFound: Explanation = (place) => ({
  code: 'name-not-found',
  message: `The host name of ${place} could not be found.`,
  fix: 'Check how the name is spelled, or use the address.',
})

const timedOut: Explanation = (place) => ({
  code: 'timeout',
  message: `The network gave up waiting for ${place}.`,
  fix: 'Check the address and any firewall between; a firewall that drops packets looks like this.',
})

const reset: Explanation = (place) => ({
  code: 'reset',
  message: `${place} closed the connection before the answer was complete.`,
  fix: 'Try again; if it stays, read the log of the component.',
})

const untrusted: Explanation = (place) => ({
  code: 'certificate-untrusted',
  message: `The certificate of ${place} is not signed by an authority that this call trusts.`,
  fix: 'Give the certificate of the authority that signed it.',
})

const expired: Explanation = (place) => ({
  code: 'certificate-expired',
  message: `The certificate of ${place}, or of its authority, has expired.`,
  fix: 'Renew the certificate, or set the clock of this machine if that is what is wrong.',
})

const notYetValid: Explanation = (place) => ({
  code: 'certificate-not-yet-valid',
  message: `The certificate of ${place}, or of its authority, is not valid yet.`,
  fix: 'Compare the clock of this machine with that of the host: one of them is off.',
})

const badTls: Explanation = (place) => ({
  code: 'tls',
  message: `TLS with ${place} failed.`,
  fix: 'Something that does not speak TLS 1.2 or 1.3 listens there: check the port.',
})

const badAnswer: Explanation = (place) => ({
  code: 'bad-answer',
  message: `What ${place} answered is not HTTP.`,
  fix: 'Something else than the API listens there: check the port.',
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
    fix: 'Try again; if it stays, report it with the code.',
  }
}

/** Explains authorities that are not PEM certificates: OpenSSL would ignore them and trust none. */
export const explainAuthority = (place: string): ClientErrorFacts => ({
  code: 'bad-authority',
  message: `The authority for ${place} could not be read as PEM certificates.`,
  fix: 'Give text with a BEGIN CERTIFICATE line, as in authority.crt.',
})

/** Explains a trusted certificate that is not the pinned one. */
export const explainPinMismatch = (facts: {
  readonly place: string
  readonly serial: string
}): ClientErrorFacts => ({
  code: 'certificate-other',
  message: `${facts.place} shows another certificate than it was given: serial number ${facts.serial}.`,
  fix: 'Read the log of the component: it says why it did not take the new one.',
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
    fix: 'Call the host by a name that its certificate carries, or give it a certificate with this name.',
  }
}
