import { describe, expect, it } from 'vitest'
import type { InstallationFacts } from '../../../src/deployment/facts/model.ts'
import { judgeMoved } from '../../../src/deployment/judge/moved.ts'
import { judgeFacts } from '../../../src/deployment/judge.ts'
import { manifestText } from '../../../src/deployment/manifest.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const unit = (folder: string, user: string): string =>
  `[Service]\nUser=${user}\nExecStart="${folder}/current/node" "${folder}/current/muster-api.cjs" serve\n`

const installed = (changes: Partial<InstallationFacts>) =>
  hostFacts({ installation: installationFacts({ currentRelease: '1.0.0-0123', ...changes }) })

const account = (user: string) => ({ account: { place: 'systemd', user } }) as const

const units = (folder: string, user = 'muster') => new Map([['manager', unit(folder, user)]] as const)

const folders = (owner: string) => new Map([['/var/lib/muster-alpha', { mode: 0o700, owner }]])

describe('what an installation cannot change while it stands', () => {
  it('is told with the way back and the way to do it, and alone', () => {
    const facts = installed({ units: units('/srv/it'), writable: false })
    expect(
      judgeFacts(hostConfig(), facts, 'alpha').map(({ code, message, fix }) => ({ code, message, fix })),
    ).toEqual([
      {
        code: 'installed-elsewhere',
        message: 'its components are installed in /srv/it, and install-directory is /opt/muster',
        fix: 'Set install-directory back to /srv/it. Or uninstall with the old value and install again: password, certificates and the databases stay.',
      },
    ])
    const others = installed({ units: units('/opt/muster', 'tungsten'), ...account('tungsten') })
    expect(
      judgeMoved(hostConfig({ user: 'muster' }), others, 'alpha').map(({ message, fix }) => ({
        message,
        fix,
      })),
    ).toEqual([
      {
        message: 'its components run as tungsten, who owns their logs and states, but would run as muster',
        fix: 'Set `user: tungsten`. Or uninstall with the old value and install again: password, certificates and the databases stay.',
      },
    ])
  })

  it.each<[string, ReturnType<typeof installed>]>([
    ['a fresh host', hostFacts()],
    ['the same folder and user', installed({ units: units('/opt/muster'), ...account('muster-alpha') })],
    [
      'a folder that was given away by hand: install mends it',
      installed({
        units: units('/opt/muster'),
        directories: folders('root:root'),
        ...account('muster-alpha'),
      }),
    ],
    ['processes of the same user', installed({ account: { place: 'process', user: 'muster-alpha' } })],
    [
      'an installation that has a user of its own, where the file names none',
      installed({ units: units('/opt/muster', 'muster'), account: { place: 'legacy', user: 'muster' } }),
    ],
    [
      'a run that ended before anything started',
      hostFacts({ installation: installationFacts({ directories: folders('ops:ops'), ...account('ops') }) }),
    ],
  ])('is nothing with %s', (_, facts) => {
    expect(judgeMoved(hostConfig(), facts, 'alpha')).toEqual([])
  })

  it('knows the folder as it is written in a unit, and the user by what was started', () => {
    const odd = hostConfig({ installDirectory: '/opt/100% $x' })
    expect(judgeMoved(odd, installed({ units: units('/opt/100%% $$x') }), 'alpha')).toEqual([])
    const codes = (host: Parameters<typeof hostConfig>[0], place: 'process' | 'legacy') =>
      judgeMoved(hostConfig(host), installed({ account: { place, user: 'ops' } }), 'alpha').map(
        ({ code }) => code,
      )
    for (const place of ['process', 'legacy'] as const) {
      expect(codes({ user: 'muster' }, place)).toEqual(['installed-as-other-user'])
      expect(codes({ user: 'ops' }, place)).toEqual([])
      // A process here is the invoking user's.
      expect(codes({ connection: 'local', serviceManager: 'process' }, place)).toEqual([
        'installed-as-other-user',
      ])
    }
  })

  it('is told of processes by the folder that the state directory knows, while the very installation stands there', () => {
    const was = (cluster: string, host: string) =>
      hostFacts({
        installation: installationFacts({
          before: { folder: '/srv/it', manifest: manifestText({ version: 1, cluster, host }) },
        }),
      })
    const told = (cluster: string, host: string) =>
      judgeMoved(hostConfig(), was(cluster, host), 'alpha').map(({ code, message }) => ({ code, message }))
    expect(told('alpha', 'db1')).toEqual([
      {
        code: 'installed-elsewhere',
        message: 'its components are installed in /srv/it, and install-directory is /opt/muster',
      },
    ])
    // Another cluster's, or another host's, came into that folder meanwhile.
    expect(told('beta', 'db1')).toEqual([])
    expect(told('alpha', 'db2')).toEqual([])
  })
})
