import { describe, expect, it } from 'vitest'
import type { HostFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { hostPaths } from '../../../src/deployment/hostFiles.ts'
import {
  installationSnapshot,
  leftoverSnapshot,
} from '../../../src/deployment/snapshot/installationSnapshot.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { fakeTransport } from '../../support/fakeTransport.ts'
import { finishedFacts, hash, targetOf } from '../steps/target.ts'

const finished = finishedFacts(targetOf())
const withInstallation = (changes: Partial<HostFacts['installation']>): HostFacts => ({
  ...finished,
  installation: { ...finished.installation, ...changes },
})
const older = withInstallation({ currentRelease: '1.0.0-0123456789ab' })
const wayBack = (facts: HostFacts) => installationSnapshot(targetOf({ facts }))
const up = {
  script: 'muster-api.cjs call',
  result: { stdout: JSON.stringify([{ id: 'replicator', status: 200, body: {} }]) },
}

describe('the snapshot of an installation', () => {
  it('is taken in one round trip, and not at all before the first start', async () => {
    const host = fakeTransport({ expect: [{ script: 'mv -T "$b" .before' }] })
    await wayBack(older).take?.(host)
    expect(host.scripts).toHaveLength(1)
    expect(wayBack(hostFacts()).take).toBeUndefined()
    const half = { ...finished, services: new Map(), installation: installationFacts({ exists: true }) }
    expect(wayBack(half).take).toBeUndefined()
    const left = { ...half, installation: { ...half.installation, leftCopy: true } }
    expect(wayBack(left).take).toBeDefined()
  })

  it('reports why it could not be taken', async () => {
    const full = { code: 1, stderr: 'cp: error writing: No space left on device\n' }
    const host = fakeTransport({ expect: [{ script: '', result: full }] })
    await expect(wayBack(older).take?.(host)).rejects.toMatchObject({
      code: 'step-failed',
      message: 'taking a snapshot of /opt/muster failed: cp: error writing: No space left on device',
      fix: 'Check that /opt/muster is writable and has free space, then install again.',
    })
  })

  it('waits for restarted components and reports what runs and what stays', async () => {
    const stdout = 'kept manager\nstarted replicator\n'
    const host = fakeTransport({ expect: [up, { script: '', result: { stdout } }] })
    expect(await wayBack(older).restore?.(host)).toBe(
      `The changes on the host were undone: manager, replicator run as before. The release ${targetOf().release.id} stays on the host for the next run.`,
    )
    expect(host.scripts).toHaveLength(2)
    const silent = fakeTransport({
      expect: [
        { ...up, result: { stdout: '[]' } },
        { script: '', result: { stdout } },
      ],
    })
    await expect(wayBack(older).restore?.(silent)).rejects.toMatchObject({ code: 'not-answering' })
  })

  it('removes everything if nothing ever ran', async () => {
    const host = fakeTransport({ expect: [{ script: '' }] })
    expect(await wayBack(hostFacts()).restore?.(host)).toBe(
      `The changes on the host were undone: no component ran before, and none runs now. The release ${targetOf().release.id} stays on the host for the next run.`,
    )
    expect(host.scripts[0]).toContain('rm -rf "$b"\nmkdir -m 700')
    expect(host.scripts[0]).toMatch(
      /&& timeout -k 5 120 setpriv --reuid=muster-alpha .* sh -c 'grep -q .*"\$1" \|\| rm -f "\$1"' sh \/var\/lib\/muster-alpha\/users\.json\n/,
    )
  })

  it('moves component data back after the components have stopped', async () => {
    const facts = withInstallation({
      currentRelease: '1.0.0-0123456789ab',
      account: { place: 'process', user: 'muster' },
      users: new Secret(
        JSON.stringify({ version: 1, users: [{ user: 'admin', hash: hash.replace('B', 'C') }] }),
      ),
    })
    const host = fakeTransport({ expect: [{ script: '' }] })
    await wayBack(facts).restore?.(host)
    const [script = ''] = host.scripts
    const places = [
      'halt replicator',
      '/var/lib/muster-alpha /opt/muster/data /var/log/muster-alpha /opt/muster/data',
      `for f in ${hostPaths(targetOf()).below.join(' ')}`,
      'take-back-user --file /opt/muster/data/users.json',
      'begin replicator',
    ].map((words) => script.lastIndexOf(words))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(script).toMatch(/setpriv --reuid=muster .* sh -c .* sh \/var\/lib\/muster-alpha/s)
    // Where they stayed nothing is copied.
    const same = fakeTransport({ expect: [{ script: '' }] })
    await wayBack(older).restore?.(same)
    expect(same.scripts.join()).not.toContain('/opt/muster/data')
  })

  it("restores the administrator's previous hash through standard input", async () => {
    const before = hash.replace('B', 'C')
    const users = new Secret(
      JSON.stringify({ version: 1, users: [{ user: 'admin', access: 'full', hash: before }] }),
    )
    const given: unknown[] = []
    const host = fakeTransport({
      expect: [
        {
          script: 'take-back-user',
          result: (_, { stdin }) => {
            given.push(stdin instanceof Secret ? JSON.parse(stdin.reveal()) : stdin)
            return {}
          },
        },
      ],
    })
    await wayBack(withInstallation({ users })).restore?.(host)
    expect(given).toEqual([{ user: 'admin', hash, before }])
    expect(host.scripts.join()).not.toContain('$scrypt')
    const same = fakeTransport({ expect: [{ script: '' }] })
    await wayBack(older).restore?.(same)
    expect(same.scripts.join()).not.toContain('take-back-user')
  })

  it('restores a user that the run removed, through standard input', async () => {
    const gone = { user: 'gone', access: 'read', hash } as const
    const users = new Secret(
      JSON.stringify({ version: 1, users: [{ user: 'admin', access: 'full', hash }, gone] }),
    )
    const given: unknown[] = []
    const host = fakeTransport({
      expect: [
        {
          script: 'take-back-user',
          result: (_, { stdin }) => {
            given.push(stdin instanceof Secret ? JSON.parse(stdin.reveal()) : stdin)
            return {}
          },
        },
      ],
    })
    const facts = withInstallation({ users })
    await installationSnapshot({ ...targetOf({ facts }), removedUsers: ['gone'] }).restore?.(host)
    expect(given).toEqual([{ user: 'gone', before: hash, beforeAccess: 'read' }])
  })

  it('is only discarded by a run of another kind', async () => {
    const way = leftoverSnapshot({ ...targetOf(), facts: withInstallation({ leftCopy: true }) })
    expect(way).toMatchObject({ leftover: true })
    expect(way.restore ?? way.take).toBeUndefined()
    const host = fakeTransport({ expect: [{ script: 'mv -T .before .before.new' }] })
    await way.discard?.(host)
    expect(host.scripts).toHaveLength(1)
  })
})
