import { describe, expect, it } from 'vitest'
import type { InstallationFacts } from '../../../src/deployment/facts/model.ts'
import { judgeMoved } from '../../../src/deployment/judge/moved.ts'
import { judgeFacts } from '../../../src/deployment/judge.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'

const unit = (folder: string, user: string): string =>
  `[Service]\nUser=${user}\nExecStart="${folder}/current/node" "${folder}/current/muster-api.cjs" serve\n`

const installed = (changes: Partial<InstallationFacts>) =>
  hostFacts({ installation: installationFacts({ currentRelease: '1.0.0-0123', ...changes }) })

const units = (folder: string, user = 'muster') => new Map([['manager', unit(folder, user)]] as const)

const folders = (owner: string) => new Map([['/opt/muster/share/users', { mode: 0o700, owner }]])

describe('what an installation cannot change while it stands', () => {
  it('is told with the way back and the way to do it, and alone', () => {
    const facts = installed({ units: units('/srv/it'), writable: false })
    expect(judgeFacts(hostConfig(), facts).map(({ code, message, fix }) => ({ code, message, fix }))).toEqual(
      [
        {
          code: 'installed-elsewhere',
          message: 'its components are installed in /srv/it, and install-directory is /opt/muster',
          fix: 'Set install-directory back to /srv/it. Or uninstall with the old value and install again: password, certificates and the databases stay.',
        },
      ],
    )
    const others = installed({ units: units('/opt/muster', 'tungsten') })
    expect(judgeMoved(hostConfig(), others).map(({ message, fix }) => ({ message, fix }))).toEqual([
      {
        message:
          'its components run as tungsten, whom their logs and states belong to, and would run as muster',
        fix: 'Set `user: tungsten`. Or uninstall with the old value and install again: password, certificates and the databases stay.',
      },
    ])
  })

  it.each<[string, ReturnType<typeof installed>]>([
    ['a fresh host', hostFacts()],
    [
      'the same folder and user',
      installed({ units: units('/opt/muster'), directories: folders('muster:muster') }),
    ],
    [
      'a folder that was given away by hand: install mends it',
      installed({ units: units('/opt/muster'), directories: folders('root:root') }),
    ],
    ['processes of the same user', installed({ directories: folders('muster:muster') })],
    [
      'a run that ended before anything started',
      hostFacts({ installation: installationFacts({ directories: folders('ops:ops') }) }),
    ],
  ])('is nothing with %s', (_, facts) => {
    expect(judgeMoved(hostConfig(), facts)).toEqual([])
  })

  it('knows the folder as it is written in a unit, and the user of processes by their folder', () => {
    const odd = hostConfig({ installDirectory: '/opt/100% $x' })
    expect(judgeMoved(odd, installed({ units: units('/opt/100%% $$x') }))).toEqual([])
    const codes = judgeMoved(hostConfig(), installed({ directories: folders('ops:ops') })).map(
      ({ code }) => code,
    )
    expect(codes).toEqual(['installed-as-other-user'])
  })
})
