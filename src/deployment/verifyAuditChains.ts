import { HostText } from '../base/hostText.ts'
import { isObject, parseJson } from '../base/json.ts'
import { quote } from '../base/shellWords.ts'
import type { HostConfig } from '../config/model.ts'
import type { Component } from '../contracts/component.ts'
import type { Transport } from '../transport/transport.ts'
import { musterApiCommand } from './musterApiCommand.ts'
import type { ServiceSet } from './services/serviceManager.ts'
import { StepError } from './stepError.ts'

/** Verdict about the audit log of a component; members as in `muster-api verify-audit`. */
export type AuditChain = {
  readonly component: Component
  readonly lines: number
  readonly first: number | null
  readonly last: { readonly seq: number; readonly digest: string } | null
  readonly unchained: number
  readonly torn: number
  readonly fault: { readonly file: HostText; readonly line: number; readonly reason: HostText } | null
}

/** Milliseconds for 200 MB of lines. */
const timeout = 120_000

/**
 * Verifies the chains of the audit logs on the host with its own program, which reads them with the rights of the
 * service user. Rejects with a `StepError` without a verdict.
 */
export async function verifyChains(
  transport: Transport,
  { host, set }: { readonly host: HostConfig; readonly set: ServiceSet },
): Promise<readonly AuditChain[]> {
  const { layout, data, account } = set
  const chains: AuditChain[] = []
  for (const { component } of host.apis) {
    const words = `verify-audit --file ${quote(data.auditFile(component))}`
    const { stdout, stderr } = await transport.run(musterApiCommand(layout.current, words, account), {
      timeout,
    })
    const chain = readChain(component, stdout.raw())
    if (chain !== undefined) chains.push(chain)
    else throw noVerdict(host, component, stderr)
  }
  return chains
}

function noVerdict(host: HostConfig, component: Component, stderr: HostText): StepError {
  return new StepError({
    host: host.name,
    code: 'step-failed',
    message: `the audit log of the ${component} could not be read: ${`${stderr}` || 'no result was returned'}`,
    fix: 'See `muster status`: something must be installed there.',
  })
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** Parses the verdict of a host; undefined for anything else. */
export function readChain(component: Component, text: string): AuditChain | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const { lines, first, last, unchained, torn, fault } = value
  if (!isCount(lines) || !isCount(unchained) || !isCount(torn)) return undefined
  if (first !== null && !isCount(first)) return undefined
  const end = last === null ? null : readEnd(last)
  const found = fault === null ? null : readFault(fault)
  if (end === undefined || found === undefined) return undefined
  return { component, lines, first, last: end, unchained, torn, fault: found }
}

function readEnd(value: unknown): NonNullable<AuditChain['last']> | undefined {
  if (!isObject(value) || !isCount(value.seq) || typeof value.digest !== 'string') return undefined
  return /^[0-9a-f]{64}$/.test(value.digest) ? { seq: value.seq, digest: value.digest } : undefined
}

function readFault(value: unknown): NonNullable<AuditChain['fault']> | undefined {
  if (!isObject(value)) return undefined
  const { file, line, reason } = value
  if (typeof file !== 'string' || !isCount(line) || typeof reason !== 'string') return undefined
  return { file: new HostText(file), line, reason: new HostText(reason) }
}
