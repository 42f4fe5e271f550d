import { components, isComponent } from '../../contracts/component.ts'
import { Secret } from '../../secrets/secret.ts'
import { parseListeners } from './listeners.ts'
import type {
  DirectoryFact,
  FileFact,
  HostFacts,
  NodeFact,
  ReleaseFact,
  ServiceFact,
  ServiceState,
} from './model.ts'

type Row = { readonly key: string; readonly values: readonly string[] }

const decode = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64')

/** Turns what the facts script printed into facts; lines it does not know are passed over. */
export function parseFacts(host: string, output: string): HostFacts {
  const lines = output.split('\n')
  const rows = lines.map(parseRow)
  const all = (key: string): readonly (readonly string[])[] =>
    rows.filter((row) => row.key === key).map((row) => row.values)
  const one = (key: string): string => all(key)[0]?.[0] ?? ''
  const given = (key: string): boolean => one(key) === 'yes'
  const content = (key: string): string | undefined => {
    const row = all(key)[0]
    return row === undefined ? undefined : decode(row[1]).toString('utf8')
  }
  const perComponent = (
    prefix: string,
    of: (key: string) => string | undefined = content,
  ): ReadonlyMap<(typeof components)[number], string> =>
    new Map(
      components.flatMap((component) => {
        const text = of(`${prefix}-${component}`)
        return text === undefined ? [] : [[component, text] as const]
      }),
    )
  const sums = new Map(lines.flatMap(sumOf))
  const node = all('node')[0]
  const manifest = content('manifest')
  const line = (key: string): string | undefined => all(key)[0]?.[1]
  const madeUser = line('made-user')
  const chain = content('chain')
  const users = content('users')
  const currentRelease = one('current')
  return {
    host,
    hostname: one('hostname'),
    machineId: one('machine-id'),
    kernel: one('kernel'),
    machine: one('machine'),
    os: one('os'),
    uid: Number(one('uid')),
    login: one('login'),
    group: one('group'),
    systemd: given('systemd'),
    addresses: all('address').map((values) => values[0] ?? ''),
    ...(node === undefined ? {} : { node: nodeFact(node) }),
    ...(one('user-group') === '' ? {} : { userGroup: one('user-group') }),
    installation: {
      exists: given('exists'),
      leftCopy: given('left-copy'),
      writable: given('writable'),
      freeBytes: Number(one('free')) * 1024,
      noexec: given('noexec'),
      ...(manifest === undefined ? {} : { manifest }),
      ...(madeUser ? { madeUser } : {}),
      ...(currentRelease === '' ? {} : { currentRelease }),
      releases: all('release').map(releaseFact),
      runtimes: all('runtime').map((values) => values[0] ?? ''),
      inUse: [...new Set(all('in-use').map((values) => values[0] ?? ''))],
      directories: new Map(all('directory').map((values) => [values[0] ?? '', directoryFact(values)])),
      files: new Map(
        all('file')
          .map((values) => [values[0] ?? '', fileFact(values, sums.get(values[0] ?? ''))] as const)
          .toSorted(([a], [b]) => (a < b ? -1 : 1)),
      ),
      ...(chain === undefined ? {} : { chain }),
      ...(users === undefined ? {} : { users: new Secret(users) }),
      settings: perComponent('settings'),
      units: perComponent('unit'),
      applied: perComponent('applied', line),
    },
    services: new Map(
      all('service').flatMap((values) => {
        const component = values[0] ?? ''
        return isComponent(component) ? [[component, serviceFact(values)] as const] : []
      }),
    ),
    listeners: parseListeners(decode(one('listeners')).toString('latin1')),
    hostStores: new Map(all('store').map((values) => [values[0] ?? '', decode(values[1])])),
  }
}

/** A line of sha256sum; a name with a backslash or a line feed in it is none of ours and stays unknown. */
function sumOf(line: string): readonly (readonly [string, string])[] {
  const [, sum, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? []
  return sum === undefined || path === undefined ? [] : [[path, sum]]
}

function parseRow(line: string): Row {
  const [key = '', ...values] = line.split('\t')
  return { key, values }
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
