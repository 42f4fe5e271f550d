import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { HostText } from '../../../src/base/hostText.ts'
import { layoutOf, type ServiceData } from '../../../src/deployment/layout.ts'
import { followLogs } from '../../../src/deployment/logs/followLogs.ts'
import type { LogLine } from '../../../src/deployment/logs/parseLogs.ts'
import { manifestText } from '../../../src/deployment/manifest.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { unitDirectory } from '../../../src/deployment/services/systemdUnits.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { eventually } from '../../support/eventually.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { heapInUse } from '../../support/heapInUse.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const logged = (msg: string): string =>
  `${JSON.stringify({ level: 'info', time: new Date().toISOString(), component: 'manager', msg })}\n`

/** Processes of this machine that name the folder. */
const processesAt = (folder: string): readonly string[] =>
  execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    .split('\n')
    .filter((line) => line.includes(folder) && !line.startsWith('ps '))

describe('following the logs of a host', () => {
  let folder = ''
  let data: ServiceData
  const stop: AbortController[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster follow'-"))
    const layout = layoutOf(folder)
    data = serviceData('process', { root: folder, cluster: 'alpha' })
    mkdirSync(layout.share)
    mkdirSync(data.log)
    writeFileSync(layout.manifest, manifestText({ version: 1, cluster: 'alpha', host: 'db1' }))
    writeFileSync(layout.account, 'process root\n')
  })
  afterEach(() => {
    for (const one of stop.splice(0)) one.abort()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Follows over a shell of this machine; `lines` grows. */
  async function follow({
    env = process.env,
    units = unitDirectory,
    ...options
  }: {
    readonly lines?: number
    readonly since?: number
    readonly env?: NodeJS.ProcessEnv
    /** Folder of units in place of systemd's. */
    readonly units?: string
  } = {}) {
    const local = await connectLocal({ host: 'db1', env })
    const transport: Transport = {
      ...local,
      follow: async (script, request) => {
        if (local.follow === undefined) throw new Error('a shell of this machine follows')
        return local.follow(script.replaceAll(unitDirectory, units), request)
      },
    }
    const end = new AbortController()
    stop.push(end)
    const lines: LogLine[] = []
    const followed = followLogs(transport, {
      cluster: 'alpha',
      host: hostConfig({ installDirectory: folder }),
      lines: 10,
      ...options,
      signal: end.signal,
      onLines: (read) => lines.push(...read),
    })
    const ended = followed.finally(() => transport.close())
    ended.catch(() => undefined)
    const messages = () => lines.map(({ text }) => (text.startsWith('{') ? JSON.parse(text).msg : text))
    return { lines, messages, ended, stop: () => end.abort(), transport }
  }

  it('prints the last lines, then new ones of all components, also after a rotation', async () => {
    const log = data.logFile('manager')
    writeFileSync(log, [0, 1, 2].map((at) => logged(`m${at}`)).join(''))
    const { messages, lines, stop, ended } = await follow({ lines: 2 })
    await eventually(() => expect(messages()).toEqual(['m1', 'm2']))
    appendFileSync(log, logged('m3'))
    await eventually(() => expect(messages()).toEqual(['m1', 'm2', 'm3']))
    writeFileSync(data.logFile('connector'), logged('c0'))
    await eventually(() => expect(messages()).toContain('c0'))
    expect(lines.at(-1)).toMatchObject({ host: 'db1', component: 'connector' })
    renameSync(log, `${log}.1`)
    writeFileSync(log, logged('m4'))
    await eventually(() => expect(messages()).toContain('m4'))
    appendFileSync(log, 'half')
    appendFileSync(log, ' a line\n')
    await eventually(() => expect(messages()).toContain('half a line'))
    stop()
    await ended
  })

  it('leaves no process behind when it is stopped, or when its connection is cut', async () => {
    writeFileSync(data.logFile('manager'), logged('m0'))
    const one = await follow()
    await eventually(() => expect(one.messages()).toEqual(['m0']))
    expect(processesAt(folder)).not.toEqual([])
    one.stop()
    await one.ended
    await eventually(() => expect(processesAt(folder)).toEqual([]))
    const other = await follow()
    await eventually(() => expect(other.messages()).toEqual(['m0']))
    void other.transport.close()
    await expect(other.ended).rejects.toMatchObject({ code: 'logs-unreadable' })
    await eventually(() => expect(processesAt(folder)).toEqual([]))
  })

  it('cuts a line that does not end, and goes on behind it', async () => {
    const log = data.logFile('manager')
    writeFileSync(log, '')
    const { messages, stop, ended } = await follow()
    appendFileSync(log, logged('first'))
    await eventually(() => expect(messages()).toEqual(['first']))
    for (let part = 0; part < 20; part += 1) appendFileSync(log, 'x'.repeat(65_536))
    appendFileSync(log, `\n${logged('last')}`)
    await eventually(() => expect(messages().at(-1)).toBe('last'))
    expect(messages()).toHaveLength(3)
    expect(messages()[1]).toHaveLength(65_537)
    stop()
    await ended
  })

  it('begins at the requested time', async () => {
    const old = JSON.stringify({ time: new Date(Date.now() - 60_000).toISOString(), msg: 'old' })
    writeFileSync(data.logFile('manager'), `${old}\n${logged('new')}`)
    const { messages, stop, ended } = await follow({ since: 10 })
    await eventually(() => expect(messages()).toEqual(['new']))
    stop()
    await ended
  })

  it('is refused where nothing or another cluster is installed, or nothing has a log', async () => {
    writeFileSync(layoutOf(folder).manifest, manifestText({ version: 1, cluster: 'beta', host: 'db1' }))
    await expect((await follow()).ended).rejects.toMatchObject({ code: 'other-installation' })
    rmSync(layoutOf(folder).account)
    writeFileSync(layoutOf(folder).manifest, manifestText({ version: 1, cluster: 'alpha', host: 'db1' }))
    rmSync(data.log, { recursive: true })
    await expect((await follow()).ended).rejects.toMatchObject({ code: 'logs-unreadable' })
    rmSync(layoutOf(folder).share, { recursive: true })
    await expect((await follow()).ended).rejects.toMatchObject({ code: 'not-installed' })
  })

  it('is refused where the journal may not be read, in the words of journalctl', async () => {
    const units = temporaryFolder()
    writeFileSync(join(units, 'muster-alpha-manager.service'), '')
    const hint = 'Hint: You are currently not seeing messages from other users and the system.'
    // As journalctl of a login that may read its own messages alone: with -f it waits for them without an end.
    writeFileSync(
      join(folder, 'journalctl'),
      `#!/bin/sh
echo '${hint}' >&2
echo '-- No entries --'
case " $* " in *' -f '*) exec tail -f /dev/null ;; esac
`,
      { mode: 0o755 },
    )
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` }
    const { ended } = await follow({ env, units })
    await expect(ended).rejects.toMatchObject({
      code: 'logs-unreadable',
      message: expect.stringContaining(hint),
      fix: expect.stringContaining('systemd-journal'),
    })
    writeFileSync(
      join(folder, 'journalctl'),
      `#!/bin/sh
echo '${hint}' >&2
echo '1772366400.0 db1 muster-manager[42]: mine'
case " $* " in *' -f '*) exec tail -f /dev/null ;; esac
`,
    )
    const other = await follow({ env, units })
    await eventually(() => expect(other.messages()).toEqual(['mine']))
    other.stop()
    await other.ended
  })

  /** Follows a host that answers with these pieces. */
  function answered(pieces: Iterable<string>) {
    const lines: LogLine[] = []
    const transport: Transport = {
      ...fakeTransport({}),
      follow: async (_, { onOutput }) => {
        for (const piece of pieces) onOutput(Buffer.from(piece))
        return { code: 0, stderr: new HostText('') }
      },
    }
    const host = hostConfig({ installDirectory: folder })
    const { signal } = new AbortController()
    const onLines = (read: readonly LogLine[]) => lines.push(...read)
    return { lines, ended: followLogs(transport, { cluster: 'alpha', host, lines: 1, signal, onLines }) }
  }

  it('keeps little of a line of 100 MB', async () => {
    const manifest = btoa(manifestText({ version: 1, cluster: 'alpha', host: 'db1' }))
    const row = `file\tmanager\t${Buffer.alloc(2880, 'x').toString('base64')}\n`
    let most = 0
    function* pieces() {
      yield `clock\t1\nmanifest\t${manifest}\n`
      const before = heapInUse()
      for (let part = 0; part < 36_000; part += 1) {
        yield row
        if (part % 9000 === 0) most = Math.max(most, heapInUse() - before)
      }
      yield `file\tmanager\t${btoa('\nnext\n')}\n`
    }
    const { lines, ended } = answered(pieces())
    await expect(ended).rejects.toMatchObject({ code: 'logs-unreadable' })
    expect(lines.map(({ text }) => text.length)).toEqual([65_537, 4])
    expect(most).toBeLessThan(4 * 1024 * 1024)
  })

  it.each([
    ['rows that do not end', 'x'.repeat(70_000), 'bad-answer'],
    ['a clock that is none', 'clock\tnow\n', 'bad-answer'],
    [
      'lines before the manifest, and another cluster',
      `file\tmanager\t${btoa('a\n')}\nmanifest\t${btoa('{}')}\n`,
      'not-ours',
    ],
  ])('refuses a host that sends %s', async (_, output, code) => {
    const { lines, ended } = answered(output.match(/.{1,1000}/gs) ?? [])
    await expect(ended).rejects.toMatchObject(code === 'not-ours' ? {} : { code })
    expect(lines).toEqual([])
  })
})
