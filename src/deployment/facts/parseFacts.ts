import { addressText, canonicalAddress } from '../../base/address.ts'
import { detached } from '../../base/detached.ts'
import { parseJson } from '../../base/json.ts'
import { isServiceManagerName } from '../../config/settings/serviceManagerNames.ts'
import { type Component, components, isComponent } from '../../contracts/component.ts'
import { Secret } from '../../secrets/secret.ts'
import { parseConfiguredReadOnly } from '../configuredReadOnly.ts'
import type {
  DirectoryFact,
  FileFact,
  HostFacts,
  InstalledFacts,
  Listener,
  NodeFact,
  ReleaseFact,
  ServiceFact,
  ServiceState,
} from './hostFacts.ts'
import { definitionKeys } from './parts/installation.ts'
import { type FactRows, readRows } from './rows.ts'

/** Parses the LISTEN rows (state 0A) of /proc/net/tcp and tcp6 (proc(5)). */
export function parseListeners(text: string): Listener[] {
  return text.split('\n').flatMap((line) => {
    const match = /^\s*\d+:\s+([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})\s+[0-9A-F]+:[0-9A-F]{4}\s+0A\s/.exec(
      line,
    )
    const [, address, port] = match ?? []
    return address === undefined || port === undefined
      ? []
      : [{ address: decodeAddress(address), port: Number.parseInt(port, 16) }]
  })
}

/** Decodes an address: the kernel prints each 32-bit word in host byte order, little-endian on x86-64 and arm64. */
function decodeAddress(hex: string): string {
  const bytes = (hex.match(/.{8}/g) ?? []).flatMap((word) =>
    (word.match(/../g) ?? []).reverse().map((byte) => Number.parseInt(byte, 16)),
  )
  return addressText(Buffer.from(bytes))
}

/** Returns true for a release or runtime id: a version and the beginning of a digest. */
const isReleaseId = (id: string): boolean => /^[0-9][0-9A-Za-z.+-]*-[0-9a-f]{12}$/.test(id)
const isRuntimeId = (id: string): boolean => /^node-[0-9A-Za-z.-]+$/.test(id)

/** Returns true for a user name that needs no quotes in sh; a login name may be longer than useradd(8) allows. */
const isUserName = (name: string): boolean => /^[A-Za-z_][A-Za-z0-9_.-]{0,255}$/.test(name)

const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64')

/** Output of a facts script, and the nonce that starts its rows. */
type Printed = { readonly output: string; readonly nonce: string }

/** Parses the output of the facts script; lines without its nonce and rows it does not know are ignored. */
export function parseFacts(host: string, { output, nonce }: Printed): HostFacts {
  const rows = readRows(output, nonce)
  const { all, one, isYes } = rows
  const sums = new Map(rows.lines.flatMap(sumOf))
  const node = all('node')[0]
  const configured = parseConfiguredReadOnly(one('read-only'))
  const madeUser = rows.line('made-user')
  const before = rows.text('manifest-before')
  const { installation, ...installed } = installedFacts(host, rows)
  return {
    ...installed,
    kernel: one('kernel'),
    machine: one('machine'),
    os: one('os'),
    login: one('login'),
    group: one('group'),
    systemd: isYes('systemd'),
    ...(one('init') === '' ? {} : { init: one('init') }),
    addresses: all('address').map(([address = '']) => canonicalAddress(address) ?? address),
    ...(node === undefined ? {} : { node: nodeFact(node) }),
    ...(one('user-group') === '' ? {} : { userGroup: one('user-group') }),
    installation: {
      ...installation,
      ...(before === undefined ? {} : { before: { folder: one('before'), manifest: before } }),
      leftCopy: isYes('left-copy'),
      ...wentBackFact(rows.line('went-back')),
      writable: isYes('writable'),
      freeBytes: Number(one('free')) * 1024,
      noexec: isYes('noexec'),
      ...(madeUser ? { madeUser } : {}),
      releases: all('release').flatMap(releaseFact),
      runtimes: all('runtime').flatMap(([id = '']) => (isRuntimeId(id) ? [id] : [])),
      directories: new Map(all('directory').map((values) => [values[0] ?? '', directoryFact(values)])),
      files: new Map(
        all('file')
          .map((values) => [values[0] ?? '', fileFact(values, sums.get(values[0] ?? ''))] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
    },
    listeners: parseListeners(
      all('listener')
        .map((values) => values[0] ?? '')
        .join('\n'),
    ),
    ...(typeof configured === 'string' ? {} : { configuredReadOnly: configured }),
    hostStores: new Map(all('store').map((values) => [values[0] ?? '', decode(values[1])])),
  }
}

/** Reads `RUN TIME`; anything else is ignored. */
function wentBackFact(line: string | undefined): Pick<HostFacts['installation'], 'wentBack'> {
  const [, run, at] = /^([\w.-]{1,64}) (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(line ?? '') ?? []
  return run === undefined || at === undefined ? {} : { wentBack: { run, at } }
}

export const parseInstalled = (host: string, { output, nonce }: Printed): InstalledFacts =>
  installedFacts(host, readRows(output, nonce))

function installedFacts(host: string, { all, one, isYes, text, line }: FactRows): InstalledFacts {
  const manifest = text('manifest')
  const chain = text('chain')
  const users = one('users')
  const currentRelease = one('current')
  const untrusted = all('untrusted')[0]
  const [place = '', user = ''] = all('place')[0] ?? []
  const perComponent = <Content>(
    prefix: string,
    of: (key: string) => Content | undefined,
  ): ReadonlyMap<Component, Content> =>
    new Map(
      components.flatMap((component) => {
        const found = of(`${prefix}-${component}`)
        return found === undefined ? [] : [[component, found] as const]
      }),
    )
  const defined = definitionKeys
    .map(({ name, key }) => ({ name, units: perComponent(key, text) }))
    .find(({ units }) => units.size > 0)
  return {
    host,
    hostname: one('hostname'),
    machineId: one('machine-id'),
    uid: Number(one('uid')),
    ...(untrusted === undefined ? {} : { untrusted: untrusted[0] ?? '' }),
    installation: {
      exists: isYes('exists'),
      ...(manifest === undefined ? {} : { manifest }),
      ...(isReleaseId(currentRelease) ? { currentRelease } : {}),
      ...(chain === undefined ? {} : { chain }),
      ...(isServiceManagerName(place) && isUserName(user) ? { account: { place, user } } : {}),
      ...(users === '' ? {} : { users: new Secret(decode(users).toString('utf8')) }),
      settings: new Map(
        [...perComponent('settings', text)].map(([component, content]) => [component, parseJson(content)]),
      ),
      units: defined?.units ?? new Map(),
      ...(defined === undefined || defined.name === 'systemd' ? {} : { definedBy: defined.name }),
      applied: perComponent('applied', line),
    },
    services: new Map(
      all('service').flatMap((values) => {
        const component = values[0] ?? ''
        return isComponent(component) ? [[component, serviceFact(values)] as const] : []
      }),
    ),
  }
}

/** Parses a line of sha256sum; skips escaped names (with a backslash or a line feed), which muster never creates. */
function sumOf(line: string): readonly (readonly [string, string])[] {
  const [, sum, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
  return sum === undefined || path === undefined ? [] : [[path, detached(sum)]]
}

function nodeFact(values: readonly string[]): NodeFact {
  return { path: values[0] ?? '', version: values[1] ?? '', rootOwned: values[2] === 'yes' }
}

function releaseFact([id = '', turn = '', since = '', node = '', there]: readonly string[]): ReleaseFact[] {
  if (!isReleaseId(id)) return []
  const known = /^\d{1,9}$/.test(turn) ? Number(turn) : 0
  return [{ id, turn: known, ...(since === '' ? {} : { since }), node, nodeThere: there === 'yes' }]
}

/** Returns the facts of one file; `sha256` is empty if it could not be read. */
function fileFact([, mode = '0', owner = '']: readonly string[], sha256 = ''): FileFact {
  return { sha256, mode: Number.parseInt(mode, 8), owner }
}

function directoryFact(values: readonly string[]): DirectoryFact {
  return { mode: Number.parseInt(values[1] ?? '0', 8), owner: values[2] ?? '' }
}

const states: readonly string[] = ['running', 'stopped', 'failed', 'absent']
const isState = (word: string): word is ServiceState => states.includes(word)

function serviceFact(values: readonly string[]): ServiceFact {
  const state = values[1] ?? ''
  const pid = Number(values[3])
  return {
    state: isState(state) ? state : 'absent',
    enabled: values[2] === 'yes',
    ...(pid > 0 ? { pid } : {}),
  }
}
