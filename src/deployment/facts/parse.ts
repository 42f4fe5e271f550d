import { components, isComponent } from '../../contracts/component.ts'
import { Secret } from '../../secrets/secret.ts'
import { parseListeners } from './listeners.ts'
import type {
  DirectoryFact,
  FileFact,
  HostFacts,
  InstalledFacts,
  NodeFact,
  ReleaseFact,
  ServiceFact,
  ServiceState,
} from './model.ts'
import { type FactRows, readRows } from './rows.ts'

const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64')

/** Turns what the facts script printed into facts; lines it does not know are passed over. */
export function parseFacts(host: string, output: string): HostFacts {
  const rows = readRows(output)
  const { all, one, isYes } = rows
  const sums = new Map(rows.lines.flatMap(sumOf))
  const node = all('node')[0]
  const madeUser = rows.line('made-user')
  const before = rows.text('manifest-before')
  const { installation, ...installed } = installedFacts(host, rows)
  return {
    ...installed,
    kernel: one('kernel'),
    machine: one('machine'),
    os: one('os'),
    uid: Number(one('uid')),
    login: one('login'),
    group: one('group'),
    systemd: isYes('systemd'),
    addresses: all('address').map((values) => values[0] ?? ''),
    ...(node === undefined ? {} : { node: nodeFact(node) }),
    ...(one('user-group') === '' ? {} : { userGroup: one('user-group') }),
    installation: {
      ...installation,
      ...(before === undefined ? {} : { before: { folder: one('before'), manifest: before } }),
      leftCopy: isYes('left-copy'),
      writable: isYes('writable'),
      freeBytes: Number(one('free')) * 1024,
      noexec: isYes('noexec'),
      ...(madeUser ? { madeUser } : {}),
      releases: all('release').map(releaseFact),
      runtimes: all('runtime').map((values) => values[0] ?? ''),
      inUse: [...new Set(all('in-use').map((values) => values[0] ?? ''))],
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
    hostStores: new Map(all('store').map((values) => [values[0] ?? '', decode(values[1])])),
  }
}

/** The same of the script that tells what is installed and runs alone. */
export const parseInstalled = (host: string, output: string): InstalledFacts =>
  installedFacts(host, readRows(output))

function installedFacts(host: string, { all, one, isYes, text, line }: FactRows): InstalledFacts {
  const manifest = text('manifest')
  const chain = text('chain')
  const users = text('users')
  const currentRelease = one('current')
  const perComponent = (
    prefix: string,
    of: (key: string) => string | undefined,
  ): ReadonlyMap<(typeof components)[number], string> =>
    new Map(
      components.flatMap((component) => {
        const found = of(`${prefix}-${component}`)
        return found === undefined ? [] : [[component, found] as const]
      }),
    )
  return {
    host,
    hostname: one('hostname'),
    machineId: one('machine-id'),
    installation: {
      exists: isYes('exists'),
      ...(manifest === undefined ? {} : { manifest }),
      ...(currentRelease === '' ? {} : { currentRelease }),
      ...(chain === undefined ? {} : { chain }),
      ...(users === undefined ? {} : { users: new Secret(users) }),
      settings: perComponent('settings', text),
      units: perComponent('unit', text),
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

/** A line of sha256sum; a name with a backslash or a line feed in it is none of ours and stays unknown. */
function sumOf(line: string): readonly (readonly [string, string])[] {
  const [, sum, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
  return sum === undefined || path === undefined ? [] : [[path, sum]]
}

function nodeFact(values: readonly string[]): NodeFact {
  return { path: values[0] ?? '', version: values[1] ?? '', rootOwned: values[2] === 'yes' }
}

function releaseFact([id = '', turn = '', since = '', node = '', there]: readonly string[]): ReleaseFact {
  const known = /^\d{1,9}$/.test(turn) ? Number(turn) : 0
  return { id, turn: known, ...(since === '' ? {} : { since }), node, nodeThere: there === 'yes' }
}

/** `sha256` is empty where the file could not be read. */
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
