import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote } from '../../../src/base/shellWords.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { switchScript } from '../../../src/deployment/releases/releaseScripts.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import {
  processFunctions,
  startProcesses,
  stopProcesses,
} from '../../../src/deployment/services/processManager.ts'
import type { SnapshotSource } from '../../../src/deployment/services/serviceManager.ts'
import { restoreScript } from '../../../src/deployment/snapshot/restoreScript.ts'
import { discardScript, takeScript } from '../../../src/deployment/snapshot/takeScript.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { endProcesses } from '../../scenarios/support/pids.ts'
import { pathsBelow } from '../../scenarios/support/snapshot.ts'
import { eventually } from '../../support/eventually.ts'
import { rawResult } from '../../support/rawResult.ts'

/** A server as our scripts see one: a process, which remembers what it was started with. */
const server = `c=$(basename "$3" .json)
data=\${3%/share/*}/data
cat "$3" > "$data/$c.new"
mv "$data/$c.new" "$data/$c.runs-with"
trap 'exit 0' TERM
while :; do sleep 0.1; done
`

/** What a run may change, by path, and what it does to it. */
const changeable = [
  ...['manager', 'connector', 'replicator', 'secrets'].map((name) => `share/${name}.json`),
  ...['tls/key.pem', 'tls/keystore.p12', 'applied/manager', 'applied/replicator'].map(
    (name) => `share/${name}`,
  ),
]

describe.skipIf(process.platform !== 'linux')('the snapshot of an installation (needs Linux)', () => {
  let root = ''
  let installed: SnapshotSource
  let transport: Transport
  const at = (path: string) => join(root, path)
  const text = (path: string) => readFileSync(at(path), 'utf8')
  const script = async (words: string): Promise<string> => {
    const { code, stdout, stderr } = rawResult(await transport.run(words))
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const restore = (changes: { fresh?: boolean; users?: string; data?: string } = {}) =>
    restoreScript(installed, { fresh: false, users: '', data: '', drainTimeout: 0, ...changes })
  const write = (path: string, content: string, mode = 0o644): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), content)
    chmodSync(at(path), mode)
  }
  const everything = (): Readonly<Record<string, string>> =>
    Object.fromEntries(
      pathsBelow(root)
        .filter((path) => !path.startsWith(at('share/processes/')))
        .map((path) => {
          const stat = lstatSync(path)
          const content = stat.isFile() ? readFileSync(path, 'utf8') : ''
          const leads = stat.isSymbolicLink() ? readlinkSync(path) : ''
          return [path, `${stat.mode.toString(8)} ${content}${leads}`]
        }),
    )
  /** The process that a component runs as: pid, start time and boot, as its starter wrote them. */
  const processOf = (component: string): string => text(`share/processes/${component}`)
  /** What a component read of its settings at its start, once it has. */
  const runsWith = (component: string): Promise<string> =>
    eventually(() => text(`data/${component}.runs-with`))
  const start = async (...names: readonly ('manager' | 'connector' | 'replicator')[]) => {
    await script(startProcesses({ ...installed, components: names }))
    await Promise.all(names.map(runsWith))
    return names.map(processOf)
  }

  beforeEach(async () => {
    root = mkdtempSync(join(tmpdir(), "muster b'-"))
    installed = {
      cluster: 'alpha',
      layout: layoutOf(root),
      account: { user: 'root', isOther: false },
      data: serviceData('process', { root, cluster: 'alpha' }),
    }
    for (const folder of ['data', 'share/processes']) mkdirSync(at(folder), { recursive: true })
    for (const release of ['old', 'new']) {
      write(`releases/${release}/muster-api.cjs`, server)
      symlinkSync('/bin/sh', at(`releases/${release}/node`))
    }
    write('releases/old/.activated', '3 2026-01-01T00:00:00Z\n')
    symlinkSync('releases/old', at('current'))
    write('share/installation.json', 'whose')
    write('data/users.json', 'users', 0o600)
    for (const path of ['share/manager.json', 'share/replicator.json', 'share/applied/manager']) {
      write(path, `old ${path}`)
    }
    for (const path of ['share/secrets.json', 'share/tls/key.pem']) write(path, `old ${path}`, 0o600)
    write('data/manager.json', 'old state', 0o600)
    transport = await connectLocal({ host: 'here', env: process.env })
  })
  afterEach(async () => {
    await transport.close()
    endProcesses(root)
    rmSync(root, { recursive: true, force: true })
  })

  it('is restored whatever a run changed, removed or added', async () => {
    const before = everything()
    const fate = fc.constantFrom('stays', 'changed', 'gone', 'mode')
    await fc.assert(
      fc.asyncProperty(fc.tuple(...changeable.map(() => fate)), fc.boolean(), async (fates, switched) => {
        await script(takeScript(installed))
        for (const [index, path] of changeable.entries()) {
          if (fates[index] === 'changed') write(path, 'new')
          if (fates[index] === 'gone') rmSync(at(path), { force: true })
          if (fates[index] === 'mode' && existsSync(at(path))) chmodSync(at(path), 0o604)
        }
        if (switched) await script(switchScript(installed.layout, 'new'))
        expect(await script(restore())).toBe('')
        expect(everything()).toEqual(before)
      }),
      {
        numRuns: 12,
        examples: [[['changed', 'changed', 'gone', 'changed', 'gone', 'changed', 'gone', 'changed'], true]],
      },
    )
  })

  it.each([
    ['discarded', () => discardScript(installed)],
    ['restored', () => restore()],
  ])('is never left in part where its host dies while it is %s', async (_, ending) => {
    await script(takeScript(installed))
    // As a host whose power fails after the first file.
    write(
      'tools/rm',
      '#!/bin/sh\ncase "$*" in *.before*) find .before -type f -exec /bin/rm {} \\; -quit; exit 1 ;; esac\nexec /bin/rm "$@"\n',
      0o755,
    )
    await transport.run(`PATH=${quote(at('tools'))}:$PATH\n${ending()}`)
    expect(existsSync(at('.before'))).toBe(false)
  })

  it('is readable by its owner only, and remains only after an interrupted run', async () => {
    await script(takeScript(installed))
    expect(lstatSync(at('.before')).mode & 0o777).toBe(0o700)
    expect(lstatSync(at('.before/share/secrets.json')).mode & 0o777).toBe(0o600)
    expect(existsSync(at('.before/data'))).toBe(false)
    await script(discardScript(installed))
    expect(pathsBelow(root).filter((path) => path.includes('.before'))).toEqual([])
  })

  it('stays that of the last verified state if an interrupted run is continued', async () => {
    const before = everything()
    await script(takeScript(installed))
    write('share/manager.json', 'half-way')
    await script(takeScript(installed))
    write('share/manager.json', 'new')
    await script(restore())
    expect(everything()).toEqual(before)
  })

  it('is complete or absent, and nothing is restored from an incomplete one', async () => {
    // Ends in the middle, as on a full disk.
    const failing = takeScript(installed).replace('readlink current >', 'false; readlink current >')
    expect((await transport.run(failing)).code).toBe(1)
    expect(pathsBelow(root).filter((path) => path.includes('.before'))).toEqual([])
    const before = everything()
    const { code, stderr } = rawResult(await transport.run(restore()))
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'the snapshot is missing\n' })
    expect(everything()).toEqual(before)
  })

  it('is restored on a full disk, or reports that even this is impossible', async () => {
    const before = everything()
    const full = "cp() { echo 'cp: No space left on device' >&2; return 1; }\n"
    await script(takeScript(installed))
    write('share/manager.json', 'new')
    write('share/secrets.json', 'new')
    expect(await script(`${full}${restore()}`)).toBe('')
    expect(everything()).toEqual(before)
    await script(takeScript(installed))
    write('share/manager.json', 'new')
    const { code, stderr } = rawResult(await transport.run(`${full}ln() { return 1; }\n${restore()}`))
    expect({ code, said: stderr.split('\n')[0] }).toEqual({ code: 1, said: 'cp: No space left on device' })
    expect(await script(restore())).toBe('')
    expect(everything()).toEqual(before)
  })

  it('keeps later changes by API calls, except of a new component', async () => {
    await script(takeScript(installed))
    write('data/users.json', 'a user more', 0o600)
    write('data/manager.json', 'a call came', 0o600)
    await script(restore())
    expect([text('data/users.json'), text('data/manager.json')]).toEqual(['a user more', 'a call came'])
    await script(takeScript(installed))
    rmSync(at('share/manager.json'))
    write('share/connector.json', 'new')
    write('data/connector.json', 'of a component that is new')
    await script(restore())
    expect(text('data/manager.json')).toBe('a call came')
    expect(existsSync(at('data/connector.json'))).toBe(false)
  })

  it('restarts only components that the run restarted, with their previous files', async () => {
    const [manager, replicator] = await start('manager', 'replicator')
    await script(takeScript(installed))
    write('share/replicator.json', 'new')
    process.kill(Number(replicator?.split(' ')[0]), 'SIGTERM')
    await eventually(() => expect(existsSync(`/proc/${replicator?.split(' ')[0]}/fd/0`)).toBe(false))
    rmSync(at('data/replicator.runs-with'))
    await script(switchScript(installed.layout, 'new'))
    const [second, connector] = await start('replicator', 'connector')
    expect(await script(restore())).toBe('kept manager\nstarted replicator\n')
    expect(processOf('manager')).toBe(manager)
    expect(existsSync(at('share/processes/connector'))).toBe(false)
    expect(existsSync(`/proc/${connector?.split(' ')[0]}/fd/0`)).toBe(false)
    expect(processOf('replicator')).not.toBe(second)
    await eventually(() => expect(text('data/replicator.runs-with')).toBe('old share/replicator.json'))
    expect(existsSync(at('.before'))).toBe(false)
  })

  it('of a first installation removes everything except the sent release', async () => {
    rmSync(at('data/users.json'))
    await start('manager')
    write('data/users.json', '"user":', 0o600)
    expect(await script(restore({ fresh: true, users: 'rm data/users.json' }))).toBe('')
    const left = pathsBelow(root).filter((path) => lstatSync(path).isFile() && !path.startsWith(at('data/')))
    expect(left.map((path) => path.slice(root.length + 1))).toEqual([
      'releases/new/muster-api.cjs',
      'releases/old/muster-api.cjs',
      'share/installation.json',
    ])
    expect(existsSync(at('current'))).toBe(false)
    expect(existsSync(at('share/processes/manager'))).toBe(false)
  })

  it('of a first installation also stops a component that has just started', async () => {
    write('releases/old/muster-api.cjs', `sleep 0.5\n${server}`)
    await script(startProcesses({ ...installed, components: ['manager'] }))
    // It is found from now on, and so it can be stopped.
    const pid = processOf('manager').split(' ')[0]
    await script(restore({ fresh: true }))
    expect(existsSync(`/proc/${pid}/fd/0`)).toBe(false)
  })

  it('does not wait for a component that ends at once', async () => {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    const running = () => script(`${processFunctions(installed)}\nif running manager; then echo runs; fi`)
    write('releases/old/muster-api.cjs', 'exit 1\n')
    write('share/processes/manager', `${process.pid} 1 ${boot}\n`)
    expect(await running()).toBe('')
    await script(startProcesses({ ...installed, components: ['manager'] }))
    await eventually(async () => expect(await running()).toBe(''))
    expect(processOf('manager')).not.toContain(` 1 ${boot}`)
    // A process of another boot has its pid and its start time by chance.
    write('releases/old/muster-api.cjs', server)
    const [manager = ''] = await start('manager')
    expect(await running()).toBe('runs\n')
    write(
      'share/processes/manager',
      manager.replace(
        boot,
        boot.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      ),
    )
    expect(await running()).toBe('')
    await script(stopProcesses({ ...installed, components: ['manager'], drainTimeout: 0 }))
    expect(existsSync(`/proc/${manager.split(' ')[0]}/fd/0`)).toBe(true)
    process.kill(Number(manager.split(' ')[0]), 'SIGKILL')
  })

  it('is restored as far as possible, reports failures and is kept then', async () => {
    await script(takeScript(installed))
    write('share/manager.json', 'new')
    const { code } = await transport.run(restore({ users: 'false' }))
    expect(code).toBe(1)
    expect(text('share/manager.json')).toBe('old share/manager.json')
    expect(existsSync(at('.before'))).toBe(true)
    await script(restore())
  })
})
