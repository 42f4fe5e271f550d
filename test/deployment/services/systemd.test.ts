import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { serviceData } from '../../../src/deployment/services/implementations.ts'
import type { SnapshotSource } from '../../../src/deployment/services/serviceManager.ts'
import { unitDirectory } from '../../../src/deployment/services/systemdUnits.ts'
import { restoreScript } from '../../../src/deployment/snapshot/restoreScript.ts'
import { takeScript } from '../../../src/deployment/snapshot/takeScript.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { rawResult } from '../../support/rawResult.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

/** A systemctl that knows what is active and enabled by files of these names, and writes down what changes that. */
const systemctl = `for unit; do :; done
case $* in
  is-active*) [ -e active/$unit ] && echo active || { echo inactive; exit 3; } ;;
  *is-enabled*) [ -e enabled/$unit ] ;;
  show*) echo "MainPID=$(cat active/$unit)" ;;
  *)
    echo "$*" >> log
    case $* in
      start*) echo $PPID > active/$unit ;;
      stop*) rm -f active/$unit ;;
      *enable*) : > enabled/$unit ;;
      *disable*) rm -f enabled/$unit ;;
    esac ;;
esac
`

describe.skipIf(process.platform !== 'linux')('the units of a host (needs Linux)', () => {
  let folder = ''
  let source: SnapshotSource
  const at = (path: string): string => join(folder, path)
  const unit = (component: string): string => `muster-alpha-${component}.service`
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
  /** A unit that is enabled and runs as this very process. */
  const runs = (component: string): void => {
    write(`units/${unit(component)}`, `old ${component}`)
    write(`enabled/${unit(component)}`, '')
    write(`active/${unit(component)}`, `${process.pid}\n`)
  }
  const run = async (script: string): Promise<string> => {
    const transport = await connectLocal({
      host: 'db1',
      env: { ...process.env, PATH: `${at('tools')}:${process.env.PATH}` },
    })
    const here = script
      .replaceAll(unitDirectory, at('units'))
      .replaceAll('[ -d /run/systemd/system ]', `[ -d '${at('units')}' ]`)
    const { code, stdout, stderr } = rawResult(await transport.run(here))
    await transport.close()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout
  }
  const take = (): Promise<string> => run(takeScript(source))
  const restore = (fresh = false): Promise<string> =>
    run(restoreScript(source, { fresh, users: '', data: '', drainTimeout: 0 }))
  const said = (): readonly string[] =>
    existsSync(at('log')) ? readFileSync(at('log'), 'utf8').trimEnd().split('\n') : []

  beforeEach(() => {
    folder = temporaryFolder()
    const root = at('muster')
    source = {
      cluster: 'alpha',
      layout: layoutOf(root),
      account: { user: 'root', isOther: false },
      data: serviceData('systemd', { root, cluster: 'alpha' }),
    }
    for (const path of ['muster/share/processes', 'units', 'enabled', 'active']) {
      mkdirSync(at(path), { recursive: true })
    }
    write('tools/systemctl', `#!/bin/sh\ncd ${folder}\n${systemctl}`)
    chmodSync(at('tools/systemctl'), 0o755)
  })

  it('that are unchanged keep running during a restore', async () => {
    runs('manager')
    await take()
    expect(readdirSync(at('muster/.before/units'))).toEqual([unit('manager')])
    expect(readFileSync(at('muster/.before/enabled'), 'utf8')).toBe(`${unit('manager')}\n`)
    expect(said()).toEqual([])
    expect(await restore()).toBe('kept manager\n')
    expect(said()).toEqual(['daemon-reload', `--quiet enable ${unit('manager')}`])
  })

  it('are restored and started again, and new ones removed', async () => {
    runs('manager')
    write(`units/${unit('replicator')}`, 'old replicator')
    await take()
    write(`units/${unit('manager')}`, 'new manager')
    runs('connector')
    write(`enabled/${unit('replicator')}`, '')
    rmSync(at(`enabled/${unit('manager')}`))
    write(`active/${unit('manager')}`, '1\n')
    expect(await restore()).toBe('started manager\n')
    expect(readdirSync(at('units')).sort()).toEqual([unit('manager'), unit('replicator')])
    expect(readFileSync(at(`units/${unit('manager')}`), 'utf8')).toBe('old manager')
    expect(readdirSync(at('enabled'))).toEqual([unit('manager')])
    expect(readdirSync(at('active'))).toEqual([unit('manager')])
    expect(said()).toEqual([
      ...['manager', 'connector', 'replicator'].flatMap((name) => [
        `stop ${unit(name)}`,
        `reset-failed ${unit(name)}`,
      ]),
      `--quiet disable ${unit('connector')}`,
      'daemon-reload',
      `--quiet enable ${unit('manager')}`,
      `--quiet disable ${unit('replicator')}`,
      `start ${unit('manager')}`,
    ])
    expect(existsSync(at('muster/.before'))).toBe(false)
  })

  it('of a first installation are removed', async () => {
    runs('manager')
    expect(await restore(true)).toBe('')
    expect([readdirSync(at('units')), readdirSync(at('enabled')), readdirSync(at('active'))]).toEqual([
      [],
      [],
      [],
    ])
    expect(said()).toEqual([
      `stop ${unit('manager')}`,
      `reset-failed ${unit('manager')}`,
      `--quiet disable ${unit('manager')}`,
      'daemon-reload',
    ])
  })
})
