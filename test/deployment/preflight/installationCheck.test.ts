import { describe, expect, it } from 'vitest'
import type { HostConfig } from '../../../src/config/model.ts'
import type { HostFacts, InstallationFacts } from '../../../src/deployment/facts/hostFacts.ts'
import { manifestText } from '../../../src/deployment/manifest.ts'
import { installationProblems } from '../../../src/deployment/preflight/checks.ts'
import { installationCheck } from '../../../src/deployment/preflight/installationCheck.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const unit = (folder: string, user: string): string =>
  `[Service]\nUser=${user}\nExecStart="${folder}/current/node" "${folder}/current/muster-api.cjs" serve\n`

const installed = (changes: Partial<InstallationFacts>) =>
  hostFacts({ installation: installationFacts({ currentRelease: '1.0.0-0123', ...changes }) })

const account = (user: string) => ({ account: { place: 'systemd', user } }) as const

const units = (folder: string, user = 'muster') => new Map([['manager', unit(folder, user)]] as const)

const folders = (owner: string) => new Map([['/var/lib/muster-alpha', { mode: 0o700, owner }]])

const problems = (host: HostConfig, facts: HostFacts, cluster = 'alpha') =>
  installationCheck.check?.({ cluster, host, facts }) ?? []

describe('the installation check', () => {
  it('rejects another folder or user with both fixes and no other problem', () => {
    const facts = installed({ units: units('/srv/it'), writable: false })
    expect(
      installationProblems({ cluster: 'alpha', host: hostConfig(), facts }).map(({ code, message, fix }) => ({
        code,
        message,
        fix,
      })),
    ).toEqual([
      {
        code: 'installed-elsewhere',
        message: 'its components are installed in /srv/it, but install-directory is /opt/muster',
        fix: 'Set install-directory back to /srv/it. Or uninstall with the old value and install again: passwords, certificates and databases are kept.',
      },
    ])
    const others = installed({ units: units('/opt/muster', 'tungsten'), ...account('tungsten') })
    expect(
      problems(hostConfig({ user: 'muster' }), others).map(({ message, fix }) => ({
        message,
        fix,
      })),
    ).toEqual([
      {
        message:
          'its components run as tungsten, who owns their logs and states, but they would run as muster',
        fix: 'Set the option `user` of the host back to tungsten. Or uninstall with the old value and install again: passwords, certificates and databases are kept.',
      },
    ])
  })

  it('asks for the rights of root where the login has none and the installation had them', () => {
    const others = installed({ units: units('/opt/muster', 'muster-alpha'), ...account('muster-alpha') })
    const plain = { ...others, uid: 1000, login: 'ops' }
    const told = (host: HostConfig) => problems(host, plain).map(({ message, fix }) => [message, fix])
    const message =
      'its components run as muster-alpha, who owns their logs and states, but the login ops has no rights of root, so they would run as ops'
    expect(told(hostConfig())).toEqual([
      [message, 'Set `ssh: { become: true }` for a login that can use sudo, or `ssh: { user: root }`.'],
    ])
    expect(told(hostConfig({ connection: 'local' }))).toEqual([[message, 'Run muster with sudo.']])
    expect(told(hostConfig({ user: 'other' }))).toEqual([
      [
        'its components run as muster-alpha, who owns their logs and states, but they would run as ops',
        expect.stringMatching(/^Set the option `user` of the host back to muster-alpha\. /),
      ],
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
      installed({ units: units('/opt/muster', 'muster'), account: { place: 'process', user: 'muster' } }),
    ],
    [
      'a run that ended before anything started',
      hostFacts({ installation: installationFacts({ directories: folders('ops:ops'), ...account('ops') }) }),
    ],
  ])('accepts %s', (_, facts) => {
    expect(problems(hostConfig(), facts)).toEqual([])
  })

  it('reads the folder from the unit and the user from the installation', () => {
    const odd = hostConfig({ installDirectory: '/opt/100% $x' })
    expect(problems(odd, installed({ units: units('/opt/100%% $$x') }))).toEqual([])
    const codes = (host: Parameters<typeof hostConfig>[0]) =>
      problems(hostConfig(host), installed({ account: { place: 'process', user: 'ops' } })).map(
        ({ code }) => code,
      )
    expect(codes({ user: 'muster' })).toEqual(['installed-as-other-user'])
    expect(codes({ user: 'ops' })).toEqual([])
    // A process here is the invoking user's.
    expect(codes({ connection: 'local', serviceManager: 'process' })).toEqual(['installed-as-other-user'])
  })

  it('rejects another folder without systemd while the recorded installation exists', () => {
    const was = (cluster: string, host: string) =>
      hostFacts({
        installation: installationFacts({
          before: { folder: '/srv/it', manifest: manifestText({ version: 1, cluster, host }) },
        }),
      })
    const told = (cluster: string, host: string) =>
      problems(hostConfig(), was(cluster, host)).map(({ code, message }) => ({ code, message }))
    expect(told('alpha', 'db1')).toEqual([
      {
        code: 'installed-elsewhere',
        message: 'its components are installed in /srv/it, but install-directory is /opt/muster',
      },
    ])
    // Another cluster's, or another host's, came into that folder meanwhile.
    expect(told('beta', 'db1')).toEqual([])
    expect(told('alpha', 'db2')).toEqual([])
  })
})
