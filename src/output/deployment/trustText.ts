import { jsonText } from '../../base/json.ts'
import { printable } from '../../base/printable.ts'
import { counted, listOf, shortListOf } from '../../base/words.ts'
import { wrap } from '../../base/wrapping.ts'
import type { Failure } from '../../deployment/events.ts'
import type { UnreachableHost } from '../../deployment/survey.ts'
import type { KeyServer, ScannedServer, TrustOutcome } from '../../deployment/trustServers.ts'
import { paint } from '../paint.ts'

type Layout = {
  readonly colour: boolean
  /** Columns of the terminal. */
  readonly width: number
}

type Found = Extract<ScannedServer, { found: unknown }>['found']

/** Names a key type like `ssh-keygen -l`. */
const typeName = (type: string): string => type.replace(/^ssh-/, '').replace(/-.*$/, '').toUpperCase()

const stateWords: Readonly<Record<Found['state'], string>> = {
  known: 'known',
  new: 'new: not in known_hosts',
  changed: 'CHANGED',
  revoked: 'REVOKED',
}

/** Names a server, with its address if that differs. */
function titleOf({ label, to: { jump, address, port } }: KeyServer): string {
  const dialled = [...(jump || address === label ? [] : [address]), ...(port === 22 ? [] : [`port ${port}`])]
  return dialled.length === 0 ? label : `${label} (${dialled.join(' ')})`
}

/** Lists the keys of each server, with problem and fix. */
export function serverKeysText(looked: readonly ScannedServer[], layout: Layout): string {
  return looked.map((one) => `${linesOf(one, layout).join('\n')}\n`).join('')
}

function linesOf(one: ScannedServer, layout: Layout): readonly string[] {
  const { bold, green, yellow, red } = paint(layout.colour)
  const title = bold(titleOf(one.server))
  if (!('found' in one)) return [`${title}  ${red('not read')}`, ...failureLines(one.failure, layout)]
  const { found } = one
  const tint = { known: green, new: yellow, changed: red, revoked: red }[found.state]
  return [
    `${title}  ${tint(stateWords[found.state])}`,
    ...keyLines(found, layout),
    ...('problem' in found ? fixLines(found.problem.fix, layout) : []),
  ]
}

/** Lists the keys of a server: of a known one only its known keys. */
function keyLines({ state, keys }: Found, { colour }: Layout): readonly string[] {
  const { dim, red } = paint(colour)
  const shown = keys.filter((key) => state !== 'known' || key.state === 'known')
  const names = shown.map(({ type }) => typeName(type))
  const width = Math.max(0, ...names.map((name) => name.length))
  return shown.flatMap(({ fingerprint, instead, state: keyState }, index) => {
    const name = names[index] ?? ''
    const left = `  ${name.padEnd(width)}  `
    const other = keyState === 'other' ? `  ${dim(`not compared: no ${name} key is known`)}` : ''
    if (instead === undefined) return [`${left}${fingerprint}${other}`]
    if (keyState === 'revoked') return [`${left}${red(fingerprint)}  revoked by ${instead.place}`]
    const type = instead.type === undefined ? '' : `${typeName(instead.type)} `
    const before = `${' '.repeat(left.length)}${instead.fingerprint}  ${dim(`${type}in ${instead.place}`)}`
    return [`${left}${red(fingerprint)}  ${dim('shown now')}`, before]
  })
}

const failureLines = ({ message, code, fix }: Failure, layout: Layout): readonly string[] => [
  ...wrap(printable(`${message} [${code}]`), { width: layout.width, first: '  ', rest: '  ' }),
  ...fixLines(fix, layout),
]

const fixLines = (fix: string, { width }: Layout): readonly string[] =>
  wrap(`fix: ${fix}`, { width, first: '  ', rest: '       ' })

/** Writes the result: counts, written files, and open tasks for a person. */
export function trustSummary(
  options: Layout & {
    readonly cluster: string
    readonly outcomes: readonly TrustOutcome[]
    readonly unreachable: readonly UnreachableHost[]
    /** --yes: nobody compared the fingerprints. */
    readonly yes: boolean
    /** --pin: nothing is written to known_hosts. */
    readonly pin: boolean
  },
): string {
  const { cluster, outcomes, unreachable, yes, pin, colour, width } = options
  const { yellow } = paint(colour)
  const lines = (text: string): readonly string[] => wrap(text, { width, first: '', rest: '' })
  if (outcomes.length === 0 && unreachable.length === 0) {
    return `${cluster}: every host is this machine, so there is no key to trust.\n`
  }
  const labels = (result: TrustOutcome['result']): readonly string[] =>
    outcomes.filter((one) => one.result === result).map(({ server }) => server.label)
  const failed = outcomes.filter((one) => one.result === 'behind' || one.result === 'failed')
  // Failures to read keys were already reported with the others.
  const reportable = failed.filter(
    (one) => 'failure' in one && (one.result === 'behind' || one.failure.code === 'not-kept'),
  )
  const [trusted, untrusted] = [labels('trusted'), labels('untrusted')]
  const files = [
    ...new Set(
      outcomes.flatMap(({ result, server }) =>
        result === 'trusted' ? (server.to.check.files[0] ?? []) : [],
      ),
    ),
  ]
  return [
    ...reportable.flatMap((one) => ('failure' in one ? failureLines(one.failure, options) : [])),
    ...(trusted.length === 0 ? [] : lines(`Trusted ${shortListOf(trusted)}: written to ${listOf(files)}.`)),
    ...(trusted.length === 0 || !yes
      ? []
      : lines(
          `${yellow('warning:')} these fingerprints were not verified. An attacker between this machine and the hosts may have sent these keys. ${compare}.`,
        )),
    ...(untrusted.length === 0 || pin
      ? []
      : lines(
          `Not trusted: ${shortListOf(untrusted)}. ${compare}, then say yes on a terminal or give --yes.`,
        )),
    countsOf(cluster, outcomes, unreachable),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

const compare =
  'Compare them with what "ssh-keygen -lf" prints for /etc/ssh/ssh_host_*_key.pub on the host itself'

const countWords: Readonly<Record<TrustOutcome['result'], string>> = {
  known: 'known',
  trusted: 'trusted now',
  untrusted: 'new',
  changed: 'changed',
  revoked: 'revoked',
  behind: 'not read',
  failed: 'failed',
  unreachable: 'unreachable',
}

function countsOf(
  cluster: string,
  outcomes: readonly TrustOutcome[],
  unreachable: readonly UnreachableHost[],
): string {
  const counts = Object.entries(countWords).flatMap(([result, words]) => {
    const more = result === 'failed' ? unreachable.length : 0
    const count = outcomes.filter((one) => one.result === result).length + more
    return count === 0 ? [] : [`${count} ${words}`]
  })
  const jumps = outcomes.filter(({ server }) => server.to.jump).length
  const hosts = counted(outcomes.length - jumps + unreachable.length, 'host')
  return `${cluster}: ${hosts}${jumps === 0 ? '' : ` and ${counted(jumps, 'jump host')}`}: ${listOf(counts)}.`
}

/** Writes YAML that pins the key of every host, for use after the cluster's own file or inside it. */
export function pinsYaml(outcomes: readonly TrustOutcome[]): string {
  const pins = outcomes.flatMap(({ server, found, result }) => {
    if (server.to.jump || found === undefined || !['known', 'untrusted'].includes(result)) return []
    const key = found.keys.find(({ state }) => state === 'known') ?? found.keys[0]
    if (key === undefined) return []
    const note = result === 'known' ? '' : ' # not in known_hosts'
    return [`  ${JSON.stringify(server.label)}: { ssh: { host-key: "${key.fingerprint}" } }${note}\n`]
  })
  return pins.length === 0 ? '' : `hosts:\n${pins.join('')}`
}

/** Writes all keys and their results as JSON. */
export function trustJson(
  cluster: string,
  outcomes: readonly TrustOutcome[],
  unreachable: readonly UnreachableHost[],
): string {
  const servers = outcomes.map((outcome) => {
    const { server, result, found } = outcome
    const { label, to } = server
    const keys = (found?.keys ?? []).map(({ type, fingerprint, state, instead }) => ({
      type,
      fingerprint,
      state,
      ...(instead === undefined ? {} : { instead }),
    }))
    return {
      name: label,
      jump: to.jump,
      address: to.address,
      port: to.port,
      result,
      keys,
      ...('failure' in outcome ? { failure: outcome.failure } : {}),
    }
  })
  const others = unreachable.map(({ host: { name, address }, failure }) => ({
    name,
    jump: false,
    address,
    result: 'failed',
    keys: [],
    failure,
  }))
  return jsonText({ cluster, servers: [...servers, ...others] })
}
