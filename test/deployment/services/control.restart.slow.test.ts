import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { restartServices, stopServices } from '../../../src/deployment/services/control.ts'
import { connectLocal } from '../../../src/transport/local.ts'
import { serviceSet } from '../../support/deploymentValues.ts'
import { rawResult } from '../../support/rawResult.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'

const account = { user: 'nobody', isOther: true }

/** Runs the script where systemctl only writes down what it is told, and fails when told so. */
async function runs(options: { readonly drainTimeout: number; readonly failing?: string }) {
  const folder = temporaryFolder()
  const log = join(folder, 'log')
  writeFileSync(
    join(folder, 'systemctl'),
    `#!/bin/sh\necho "$*" >> ${log}\n[ "$*" != ${JSON.stringify(options.failing ?? '')} ]\n`,
  )
  chmodSync(join(folder, 'systemctl'), 0o755)
  const script = restartServices(
    serviceSet({ cluster: 'a', account, root: join(folder, 'muster'), drainTimeout: options.drainTimeout }),
  )
  const transport = await connectLocal({ host: 'db1', env: process.env })
  const { code } = await transport.run(`PATH=${folder}:$PATH\n{\n${script}\n} || exit 1`)
  await transport.close()
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  return { code, told: lines.map((line) => line.replaceAll(/muster-a-|\.service/g, '')) }
}

describe('the restart of a host’s components', () => {
  it('stops all together without clients to wait for', async () => {
    expect(await runs({ drainTimeout: 0 })).toEqual({
      code: 0,
      told: [
        'stop manager connector replicator',
        'reset-failed manager connector replicator',
        'start manager connector replicator',
      ],
    })
  })

  it('starts the others again before a connector drains', async () => {
    expect(await runs({ drainTimeout: 30_000 })).toEqual({
      code: 0,
      told: [
        'stop manager replicator',
        'reset-failed manager replicator',
        'start manager replicator',
        'show --property=MainPID --value connector',
        'stop connector',
        'reset-failed connector',
        'start connector',
      ],
    })
  })

  it('keeps the connector running if the others do not start', async () => {
    const { code, told } = await runs({
      drainTimeout: 30_000,
      failing: 'start muster-a-manager.service muster-a-replicator.service',
    })
    expect(code).toBe(1)
    expect(told.at(-1)).toBe('start manager replicator')
  })
})

describe('the stop of a unit', () => {
  it('lets a connector drain for its own timeout, whatever the limit of the new unit', async () => {
    const folder = temporaryFolder()
    const log = join(folder, 'log')
    // It goes on after it was told to end until the others have been stopped, and a little longer.
    const drains = `sh -c 'trap "while ! grep -qs manager ${log}; do sleep 0.05; done; sleep 0.3; echo drained >> ${log}; exit 0" TERM; echo $$ > ${folder}/pid; while :; do sleep 0.05; done' &
while [ ! -s ${folder}/pid ]; do sleep 0.05; done`
    // As systemd with a limit that has passed.
    const systemctl = `#!/bin/sh
case $* in
  show*) cat ${folder}/pid ;;
  # The process is systemd’s to tell: root signals no pid itself.
  'kill --kill-who=main --signal=TERM muster-a-connector.service') echo told >> ${log}; kill -TERM "$(cat ${folder}/pid)" ;;
  *connector*) echo "$*" >> ${log}; kill -KILL "$(cat ${folder}/pid)" 2>/dev/null || : ;;
  *) echo "$*" >> ${log} ;;
esac
`
    writeFileSync(join(folder, 'systemctl'), systemctl, { mode: 0o755 })
    const script = stopServices(
      serviceSet({
        cluster: 'a',
        account,
        root: join(folder, 'muster'),
        components: ['manager', 'connector'],
        drainTimeout: 30_000,
      }),
    )
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const { code, stderr } = rawResult(await transport.run(`PATH=${folder}:$PATH\n${drains}\n${script}`))
    await transport.close()
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(readFileSync(log, 'utf8').trim().split('\n')).toEqual([
      'told',
      'stop muster-a-manager.service',
      'drained',
      'stop muster-a-manager.service muster-a-connector.service',
    ])
  })
})

describe('the stop of a process', () => {
  const running = async (script: string) => {
    const transport = await connectLocal({ host: 'db1', env: process.env })
    const result = await transport.run(script)
    await transport.close()
    return result
  }

  it('waits for the clients of a connector only', async () => {
    const folder = temporaryFolder()
    const set = serviceSet({
      manager: 'process',
      cluster: 'a',
      root: folder,
      components: ['manager', 'connector'],
      drainTimeout: 30_000,
    })
    mkdirSync(set.layout.processes, { recursive: true })
    const script = stopServices(set)
    // A process that goes on for a while after it was told to end, as one does that drains.
    const start = `sh -c 'trap "sleep 0.5; exit 0" TERM; echo $$ > ${folder}/pid; while :; do sleep 0.1; done' &
while [ ! -s ${folder}/pid ]; do sleep 0.05; done
p=$(cat ${folder}/pid)
echo "$p $(sed 's/^.*) //' /proc/$p/stat | cut -d' ' -f20) $(cat /proc/sys/kernel/random/boot_id)" > ${set.layout.pidFile('connector')}`
    const { stdout } = await running(`${start}\n${script}\n[ -d /proc/$p ] && echo alive; echo "$i"`)
    expect(Number(stdout)).toBeGreaterThanOrEqual(3)
    expect(script).toContain('stop manager 150')
    expect(script).toContain('stop connector 450')
  })
})
