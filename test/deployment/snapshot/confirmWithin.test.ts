import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { initialProgress, runPhase } from '../../../src/deployment/execution/hostRun.ts'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { layoutOf } from '../../../src/deployment/layout.ts'
import { releaseScript, takeScript } from '../../../src/deployment/lock/lockScripts.ts'
import { armScript, takeOverScript } from '../../../src/deployment/snapshot/confirmWithin.ts'
import { installationSnapshot } from '../../../src/deployment/snapshot/installationSnapshot.ts'
import { change } from '../../../src/deployment/step.ts'
import { hostFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { temporaryFolder } from '../../support/temporaryFolder.ts'
import { finishedFacts, targetOf } from '../steps/target.ts'

const owner = {
  id: '20261123T101112Z-abc123',
  operation: 'install',
  cluster: 'alpha',
  pid: 7,
  machine: 'ops',
  machineId: 'm',
  started: '1',
  user: 'ops',
} as const
const confirm = { owner, within: 90_000 }
const facts = finishedFacts(targetOf())
const older = { ...facts, installation: { ...facts.installation, currentRelease: '1.0.0-0123456789ab' } }
const way = (of: HostFacts = older) => installationSnapshot(targetOf({ facts: of }), confirm)

/** Problems of a script, for a shell that runs nothing of it. */
const parse = (script: string): string => String(spawnSync('sh', ['-n'], { input: script }).stderr)

describe('the way back of --confirm-within', () => {
  it('is armed in the round trip of the snapshot, and not without it', async () => {
    const host = fakeTransport({ expect: [{ script: 'mv -T "$b" .before' }] })
    await way().take?.(host)
    expect(host.scripts).toHaveLength(1)
    const [script = ''] = host.scripts
    expect(script).toMatch(/mv -T "\$b" \.before\n\) <\/dev\/null \|\| exit 1\nset -e\n/)
    expect(script).toContain('OnActiveSec=90\n')
    expect(script).toContain('mkdir -m 700 "$f"')
    expect(script).toMatch(/systemctl --quiet enable --now muster-alpha-confirm\.timer\nsync -f .*$/)
    expect(script).not.toContain('the password')
  })

  it('is armed before a first installation, too', async () => {
    const host = fakeTransport({ expect: [{ script: 'muster-alpha-confirm.timer' }] })
    await way(hostFacts()).take?.(host)
    expect(host.scripts).toHaveLength(1)
  })

  it.each([
    ['a first installation', hostFacts()],
    ['an upgrade', older],
  ])('is armed by sh that a shell can parse, before %s', async (_, before) => {
    const host = fakeTransport({ expect: [{ script: 'muster-alpha-confirm.timer' }] })
    await way(before).take?.(host)
    const [script = ''] = host.scripts
    expect(parse(script)).toBe('')
    const [, back = ''] = /restore" <<'(END OF .+)'\n([\s\S]+?\n)\1/.exec(script)?.slice(1) ?? []
    expect(back).toContain('-confirm')
    expect(parse(back)).toBe('')
  })

  it('is given up by a restore of the run itself, in the same round trip', async () => {
    const host = fakeTransport({ expect: [{ script: '' }] })
    await way().restore?.(host)
    expect(host.scripts[0]).toContain(takeOverScript(targetOf()))
  })

  const run = async (stdout: string) => {
    const host = fakeTransport({ expect: [{ script: '.confirm/armed', result: { stdout } }, { script: '' }] })
    const step = { id: 'x', title: 'x', phase: 'commit' as const, apply: async () => {} }
    const { take: _, ...snapshot } = way()
    const progress = initialProgress({
      host: 'db1',
      transport: host,
      steps: [{ step, change: change('x') }],
      verify: async () => 'logins verified',
      snapshot,
    })
    const around = { progress, emit: () => {}, signal: new AbortController().signal, clock: () => 0 }
    await runPhase({ ...around, phase: 'commit' })
    await runPhase({ ...around, phase: 'verify' })
    return { progress, host }
  }

  it('is removed after the proof', async () => {
    const { progress, host } = await run('confirmed\n')
    expect(progress.failure).toBeUndefined()
    expect(host.scripts[0]).toContain('/opt/muster/.confirm/armed')
  })

  it('fails the host if it was faster than the proof', async () => {
    const { progress } = await run('')
    expect(progress.failure).toMatchObject({
      code: 'went-back',
      fix: 'Install again with a longer --confirm-within.',
    })
  })
})

/** The script of the timer in a folder of the test, with tools that only write down how they were called. */
describe.skipIf(process.platform !== 'linux')('the way back that its timer starts (needs Linux)', () => {
  const sandbox = () => {
    const folder = temporaryFolder()
    const [root, tools, calls] = ['root', 'tools', 'calls'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    for (const name of [root, tools, join(folder, 'units')]) mkdirSync(name)
    const tool = (name: string, words: string) =>
      writeFileSync(join(tools, name), `#!/bin/sh\n${words}\n`, { mode: 0o755 })
    tool('systemctl', 'exit 0')
    tool('getent', `echo x:x:x:x:x:${folder}:x`)
    tool('sleep', `echo "sleep $1" >> ${calls}; exec /bin/sleep 0.1`)
    const inside = (script: string): string =>
      script
        .replaceAll('/etc/systemd/system', join(folder, 'units'))
        .replaceAll('/run/muster', join(folder, 'run'))
        .replace('PATH=/usr/local/sbin', `PATH=${tools}:/usr/local/sbin`)
    const run = async (script: string): Promise<void> => {
      const child = spawn('sh', ['-c', inside(script)], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { PATH: `${tools}:/usr/bin:/bin` },
      })
      expect(await once(child, 'exit')).toEqual([0, null])
    }
    const layout = layoutOf(root)
    const at = (name: string) => join(root, name)
    const confirmed = { cluster: 'alpha', layout }
    return {
      ...{ at, confirmed, run },
      arm: () =>
        run(armScript({ ...confirmed, ...confirm, script: `echo back >> ${at('back')}`, drainTimeout: 0 })),
      back: () => run(`sh ${at('.confirm/restore')}`),
      isWaiting: () =>
        expect.poll(() => existsSync(calls) && readFileSync(calls, 'utf8')).toContain('sleep 1\n'),
      hold: async () => {
        const script = `${takeScript({ installDirectory: root, owner: { ...owner, id: 'later' } })}read -r line`
        const child = spawn('sh', ['-c', inside(script)], {
          stdio: ['pipe', 'pipe', 'inherit'],
          env: { PATH: `${tools}:/usr/bin:/bin` },
        })
        onTestFinished(() => void child.kill('SIGKILL'))
        expect(String((await once(child.stdout, 'data'))[0])).toBe('taken\n')
        return async () => {
          await run(releaseScript(root, 'later'))
          const ended = once(child, 'exit')
          child.stdin.end()
          await ended
        }
      },
    }
  }

  it('restores, says so, and removes itself', async () => {
    const { at, arm, back } = sandbox()
    await arm()
    await back()
    expect(readFileSync(at('back'), 'utf8')).toBe('back\n')
    expect(readFileSync(at('.went-back'), 'utf8')).toContain(owner.id)
    expect(existsSync(at('.confirm'))).toBe(false)
  })

  it('goes on after a reboot that interrupted it', async () => {
    const { at, arm, back } = sandbox()
    await arm()
    renameSync(at('.confirm/armed'), at('.confirm/restoring'))
    await back()
    expect(existsSync(at('back'))).toBe(true)
    expect(existsSync(at('.confirm'))).toBe(false)
  })

  it('waits while a later run has the lock, and restores if that did not work on the host', async () => {
    const { at, arm, back, hold, isWaiting } = sandbox()
    await arm()
    const release = await hold()
    const ends = back()
    await isWaiting()
    expect(existsSync(at('back'))).toBe(false)
    await release()
    await ends
    expect(existsSync(at('back'))).toBe(true)
  })

  it('ends while it waits if a later run takes over, even if that arms its own', async () => {
    const { at, confirmed, run, arm, back, hold, isWaiting } = sandbox()
    await arm()
    const release = await hold()
    const ends = back()
    await isWaiting()
    await run(takeOverScript(confirmed))
    mkdirSync(at('.confirm'))
    writeFileSync(at('.confirm/armed'), 'later\n')
    await ends
    await release()
    expect(existsSync(at('back'))).toBe(false)
    expect(existsSync(at('.confirm/armed'))).toBe(true)
  })
})
