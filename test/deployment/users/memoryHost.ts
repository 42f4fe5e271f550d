import { verifyPassword } from '../../../src/accounts/passwordHash.ts'
import {
  findUser,
  formatUserFile,
  noUsers,
  putUser,
  readUserChange,
  readUserRecord,
  removeUser,
  revertUser,
} from '../../../src/accounts/userFile.ts'
import { HostText } from '../../../src/base/hostText.ts'
import { parseCallRequests } from '../../../src/client/call.ts'
import type { SurveyedHost } from '../../../src/deployment/survey.ts'
import { Secret } from '../../../src/secrets/secret.ts'
import type { Transport } from '../../../src/transport/transport.ts'
import { TransportError } from '../../../src/transport/transportError.ts'
import { hostConfig, hostFacts, installationFacts } from '../../support/deploymentValues.ts'
import { createServerCertificate } from '../../support/serverCertificate.ts'

const { chain } = createServerCertificate()

/** The program was killed: nothing that it would have done afterwards happens. */
export class Killed extends Error {}

/** Counts all that a run does outside itself, and kills it before or after one of these. */
export function killer(at: number | undefined): {
  readonly around: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly count: () => number
  /** Throws where it was killed: what a host throws is that host's failure, and ends no run. */
  readonly live: () => void
} {
  let count = 0
  let dead = false
  const act = (): void => {
    if (dead) throw new Killed()
    if (count === at) dead = true
    count += 1
    if (dead) throw new Killed()
  }
  return {
    count: () => count,
    live: () => {
      if (dead) throw new Killed()
    },
    around: async (work) => {
      act()
      const result = await work()
      act()
      return result
    },
  }
}

/** A host in memory, with a manager and a replicator, which does what the scripts of a rotation ask for. */
export function memoryHost(name: string) {
  let file = noUsers
  let down = false
  const answer = async (script: string, stdin: string): Promise<string> => {
    if (script.includes(' put-user ')) {
      file = putUser(file, readUserRecord(JSON.parse(stdin)))
      return ''
    }
    if (script.includes(' take-back-user ')) {
      file = revertUser(file, readUserChange(JSON.parse(stdin)))
      return ''
    }
    if (script.includes(' remove-user ')) {
      for (const { user } of JSON.parse(stdin)) file = removeUser(file, user)
      return ''
    }
    if (!script.includes('muster-api.cjs call')) return ''
    const results = parseCallRequests(stdin).map(async ({ id, path, credentials }) => {
      if (credentials === undefined) {
        const [, name] = /\/user\/(.*)$/.exec(path) ?? []
        return { id, status: name === undefined || findUser(file, name) ? 200 : 404, body: {} }
      }
      const { user, password } = credentials
      return { id, status: (await takes(user, password)) ? 200 : 401, body: {} }
    })
    return JSON.stringify(await Promise.all(results))
  }
  const takes = (user: string, password: string): Promise<boolean> =>
    verifyPassword(new Secret(password), findUser(file, user)?.hash ?? '')

  const survey = (around: ReturnType<typeof killer>['around']): SurveyedHost => {
    const transport: Transport = {
      host: name,
      run: (script, options) =>
        around(async () => {
          if (down) {
            throw new TransportError({
              host: name,
              code: 'connection-lost',
              message: 'it is gone',
              fix: 'Wait.',
            })
          }
          const { stdin = '' } = options ?? {}
          const stdout = await answer(script, stdin instanceof Secret ? stdin.reveal() : stdin.toString())
          return { code: 0, stdout: new HostText(stdout), stderr: new HostText('') }
        }),
      upload: () => Promise.reject(new Error('a rotation uploads nothing')),
      close: () => Promise.resolve(),
    }
    const settings = { listen: { address: '127.0.0.1', port: 8090 } }
    const installation = installationFacts({
      exists: true,
      manifest: '{}',
      chain,
      users: new Secret(formatUserFile(file)),
      settings: new Map([
        ['manager', settings],
        ['replicator', settings],
      ]),
    })
    const running = { state: 'running', enabled: true } as const
    const seconds = { connect: 0, facts: 0 }
    return {
      host: hostConfig({ name }),
      facts: hostFacts({
        host: name,
        installation,
        services: new Map([
          ['manager', running],
          ['replicator', running],
        ]),
      }),
      transport,
      seconds,
    }
  }
  return {
    name,
    takes,
    names: (): readonly string[] => file.users.map(({ user }) => user),
    survey,
    put: (user: string, hash: string): void => {
      file = putUser(file, { user, access: 'full', hash })
    },
    setDown: (is: boolean): void => {
      down = is
    },
  }
}
