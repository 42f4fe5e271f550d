import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Layout, layoutOf, type ServiceData } from '../../../src/deployment/layout.ts'
import { mergeLines, parseLogs, type ReadLogs } from '../../../src/deployment/logs/parseLogs.ts'
import { type LogsSelection, logsScript, readLogs } from '../../../src/deployment/logs/readLogs.ts'
import { manifestText } from '../../../src/deployment/manifest.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import { unitDirectory } from '../../../src/deployment/services/systemdUnits.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { hostConfig } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const base64 = (text: string): string => Buffer.from(text).toString('base64')
const at = (seconds: number): string => new Date(Date.UTC(2026, 2, 1, 12, 0, seconds)).toISOString()
const logged = (seconds: number, msg: string): string =>
  `${JSON.stringify({ level: 'info', time: at(seconds), component: 'manager', msg })}\n`

const read = (host: string, output: string, most = 100): ReadLogs => {
  const logs = parseLogs(host, output, most)
  if (logs === undefined || 'untrusted' in logs) throw new Error('this is what the script prints')
  return logs
}

describe('log lines', () => {
  it('have the time of the journal, and the program unless it is the component', () => {
    const journal = [
      '-- Boot 0123456789abcdef --',
      '1772366399.5 db1 systemd[1]: Started muster-alpha-manager.service.',
      `1772366400.125000 db1 muster-manager[42]: ${logged(0, 'hello: world').trim()}`,
      '1772366401.000000 db1 muster-manager[42]: Error: first',
      '                                              at second',
      '1772366402.000000 db1 muster-manager[42]:',
    ].join('\n')
    const { logs, clock, manifest } = read('db1', `clock\t1772366500\njournal\tmanager\t${base64(journal)}\n`)
    expect({ clock, manifest }).toEqual({ clock: 1772366500000, manifest: undefined })
    expect(logs.flat().map(({ time, text }) => [(time ?? 0) - 1772366400000, text])).toEqual([
      [-500, 'systemd: Started muster-alpha-manager.service.'],
      [125, logged(0, 'hello: world').trim()],
      [1000, 'Error: first'],
      [1000, 'at second'],
      [2000, ''],
    ])
  })

  it('have in a file their own time or that of the previous line', () => {
    const file = `  at cut off\n${logged(1, 'a')}Error: x\n  at y\n{"not": json\n${logged(3, 'b')}`
    const { logs } = read('db1', `clock\t1\nfile\treplicator\t${base64(file)}\nfile\tother\tx\n`)
    expect(
      logs.flat().map(({ time, text }) => [time && new Date(time).toISOString(), text.slice(0, 6)]),
    ).toEqual([
      [at(1), '  at c'],
      [at(1), '{"leve'],
      [at(1), 'Error:'],
      [at(1), '  at y'],
      [at(1), '{"not"'],
      [at(3), '{"leve'],
    ])
  })

  it('are merged by time and keep the order of their log', () => {
    const line = (host: string, time: number | undefined, text: string) =>
      ({ host, component: 'manager', time, text }) as const
    const one = [line('db1', 1, 'a'), line('db1', 5, 'b'), line('db1', 5, 'c')]
    const two = [line('db2', 0, 'd'), line('db2', 5, 'e')]
    expect(mergeLines([one, two]).map(({ text }) => text)).toEqual(['d', 'a', 'b', 'c', 'e'])
  })
})

describe('the logs of a host', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "muster logs'-"))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  async function read(wanted: Partial<LogsSelection> = {}): Promise<readonly string[]> {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    try {
      const host = hostConfig({ installDirectory: folder })
      const lines = await readLogs(transport, { cluster: 'alpha', host, lines: 100, ...wanted })
      return lines.map(({ component, text }) => `${component} ${JSON.parse(text).msg}`)
    } finally {
      await transport.close()
    }
  }

  function install(): { readonly layout: Layout; readonly data: ServiceData } {
    const layout = layoutOf(folder)
    const data = serviceData('process', { root: folder, cluster: 'alpha' })
    mkdirSync(layout.share)
    mkdirSync(data.log)
    writeFileSync(layout.manifest, manifestText({ version: 1, cluster: 'alpha', host: 'db1' }))
    writeFileSync(layout.account, 'process root\n')
    return { layout, data }
  }

  it('are the last lines of all its components', async () => {
    const { data } = install()
    writeFileSync(data.logFile('manager'), [0, 2, 4].map((second) => logged(second, `m${second}`)).join(''))
    writeFileSync(data.logFile('connector'), [1, 3, 5].map((second) => logged(second, `c${second}`)).join(''))
    expect(await read()).toEqual([
      'manager m0',
      'connector c1',
      'manager m2',
      'connector c3',
      'manager m4',
      'connector c5',
    ])
    expect(await read({ lines: 2 })).toEqual(['manager m4', 'connector c5'])
  })

  it('begin at the requested time', async () => {
    const { data } = install()
    const ago = (seconds: number): string =>
      `${JSON.stringify({ time: new Date(Date.now() - seconds * 1000).toISOString(), msg: `${seconds} s ago` })}\n`
    writeFileSync(data.logFile('manager'), [7200, 600, 5].map(ago).join(''))
    expect(await read({ since: 3600 })).toEqual(['manager 600 s ago', 'manager 5 s ago'])
  })

  it('are not read through a link or a pipe', async () => {
    const { data } = install()
    writeFileSync(join(folder, 'secret'), logged(1, 'of root'))
    symlinkSync('../secret', data.logFile('manager'))
    execFileSync('mkfifo', [data.logFile('connector')])
    expect(await read()).toEqual([])
  })

  it.runIf(process.getuid?.() === 0)(
    'are read with the rights of the service user, and not at all without it (needs root)',
    async () => {
      const { layout, data } = install()
      chmodSync(folder, 0o755)
      writeFileSync(data.logFile('manager'), logged(1, 'of root'), { mode: 0o600 })
      writeFileSync(data.logFile('connector'), logged(2, 'of nobody'), { mode: 0o644 })
      for (const [user, lines] of [
        ['nobody', ['connector of nobody']],
        ['no-such-user', []],
      ] as const) {
        writeFileSync(layout.account, `process ${user}\n`)
        expect(await read()).toEqual(lines)
      }
    },
  )

  it('are refused if nothing or another cluster is installed', async () => {
    await expect(read()).rejects.toMatchObject({ code: 'not-installed' })
    const { layout } = install()
    writeFileSync(layout.manifest, manifestText({ version: 1, cluster: 'beta', host: 'db1' }))
    await expect(read()).rejects.toMatchObject({ code: 'other-installation' })
  })

  it('are reported as unreadable if the journal denies access', async () => {
    const stdout = `clock\t1\nmanifest\t${base64(manifestText({ version: 1, cluster: 'alpha', host: 'db1' }))}\njournal\tmanager\t${base64('-- No entries --\n')}\n`
    const stderr = 'No journal files were opened due to insufficient permissions.\n'
    const transport = fakeTransport({ expect: [{ script: 'journalctl', result: { stdout, stderr } }] })
    await expect(
      readLogs(transport, { cluster: 'alpha', host: hostConfig(), lines: 9 }),
    ).rejects.toMatchObject({
      code: 'logs-unreadable',
      message: expect.stringContaining('insufficient permissions'),
    })
  })

  it('are the newest of the journal, also with a start time', async () => {
    const units = temporaryFolder()
    const [log, program] = [join(folder, 'journal'), join(folder, 'journalctl')]
    writeFileSync(join(units, 'muster-alpha-manager.service'), '')
    const now = Math.floor(Date.now() / 1000)
    const lines = [7200, 60, 40, 20].map(
      (ago) => `${now - ago}.0 db1 muster-manager[4]: {"msg":"${ago} s ago"}`,
    )
    writeFileSync(log, lines.map((line) => `${line}\n`).join(''))
    // As journalctl of systemd 252 does it: with --since, -n takes the first lines.
    writeFileSync(
      program,
      `#!/bin/sh
case " $* " in *' --since'*) tail -n +2 "\${0%/*}/journal" | head -n 2 ;; *) tail -n 2 "\${0%/*}/journal" ;; esac
`,
      { mode: 0o755 },
    )
    install()
    const local = await connectLocal({
      host: 'db1',
      env: { ...process.env, PATH: `${folder}:${process.env.PATH}` },
    })
    const transport: Transport = {
      ...local,
      run: (script, options) => local.run(script.replaceAll(unitDirectory, units), options),
    }
    const host = hostConfig({ installDirectory: folder })
    const read = await readLogs(transport, { cluster: 'alpha', host, lines: 2, since: 600 })
    await local.close()
    expect(read.map(({ text }) => JSON.parse(text).msg)).toEqual(['40 s ago', '20 s ago'])
  })

  it('include the rotated file after a rotation', async () => {
    const { data } = install()
    const [now, before] = [data.logFile('manager'), `${data.logFile('manager')}.1`]
    writeFileSync(before, [0, 1, 2].map((second) => logged(second, `m${second}`)).join(''))
    writeFileSync(now, logged(3, 'm3'))
    expect(await read({ lines: 3 })).toEqual(['manager m1', 'manager m2', 'manager m3'])
  })

  it('are asked for by unit and number', () => {
    const layout = layoutOf('/opt/muster')
    const script = logsScript({ cluster: 'alpha', layout, components: ['manager'], lines: 7 })
    expect(script).toContain('journalctl --no-pager -o short-unix -n 7 -u muster-alpha-manager.service')
  })
})
