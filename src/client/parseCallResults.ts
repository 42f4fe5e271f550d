import { isObject, parseJson } from '../base/json.ts'
import type { CallResult } from './call.ts'
import { isClientErrorCode } from './clientError.ts'

/** Results and characters of a message that are read at most: what `muster-api call` itself writes is far less. */
const most = { results: 10_000, message: 2000 }

/**
 * Reads what `muster-api call` printed; undefined where it is no list of results. A body is any JSON value: who asked
 * judges it.
 */
export function parseCallResults(text: string): readonly CallResult[] | undefined {
  const value = parseJson(text)
  if (!Array.isArray(value) || value.length > most.results) return undefined
  const results = value.map(readResult).filter((result) => result !== undefined)
  return results.length === value.length ? results : undefined
}

function readResult(value: unknown): CallResult | undefined {
  if (!isObject(value) || typeof value.id !== 'string') return undefined
  const { id, status, certificate, certificates, error } = value
  const shown = certificates === undefined ? {} : readCertificates(certificates)
  if (shown === undefined) return undefined
  if (isObject(error)) {
    const { code, message } = error
    if (typeof message !== 'string' || typeof code !== 'string') return undefined
    // A release that knows more of them than we do still has its words.
    const known = code === 'ended' || isClientErrorCode(code) ? code : 'failed'
    return { id, error: { code: known, message: message.slice(0, most.message) }, ...shown }
  }
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 100 || status > 999)
    return undefined
  if (certificate !== undefined && typeof certificate !== 'string') return undefined
  return { id, status, body: value.body, ...(certificate === undefined ? {} : { certificate }), ...shown }
}

function readCertificates(value: unknown): { readonly certificates: readonly string[] } | undefined {
  if (!Array.isArray(value) || !value.every((pem) => typeof pem === 'string')) return undefined
  return { certificates: value }
}
