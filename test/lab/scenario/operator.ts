import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute, type Outcome } from '../support/execute.ts'
import type { Lab } from '../support/labTypes.ts'
import { operatorCache } from '../support/pinnedNode.ts'

const program = (name: string): string => fileURLToPath(new URL(`../../../dist/${name}`, import.meta.url))

export type CallOptions = {
  readonly input?: string
  /** Milliseconds; as of `execute` unless told. */
  readonly timeout?: number
  /** The programs' environment without the password. */
  readonly withoutPassword?: boolean
  readonly onStart?: (pid: number) => void
  /** As of `execute`. */
  readonly killWhen?: (stdout: string) => boolean
}

/** Somebody who runs the programs in a folder of their own, as child processes. */
export type Operator = {
  readonly directory: string
  readonly muster: (args: readonly string[], options?: CallOptions) => Promise<Outcome>
  readonly tapi: (args: readonly string[], options?: CallOptions) => Promise<Outcome>
  /** Writes a file into the folder, readable by its owner alone; returns its path. */
  readonly write: (name: string, content: string) => string
  /** All that the programs have printed so far. */
  readonly printed: () => string
}

/** What npm was told by the environment of the tests, so that the runtime can be fetched the same way. */
const npmSettings = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name)))

/**
 * Makes an operator's folder in the lab; the password is what the variable ADMIN_PASS tells the programs, which have
 * further variables if some are given.
 */
export function createOperator(
  lab: Lab,
  name: string,
  password: string,
  variables: Readonly<Record<string, string>> = {},
): Operator {
  const directory = join(lab.directory, name)
  mkdirSync(directory, { mode: 0o700 })
  const environment: NodeJS.ProcessEnv = {
    ...npmSettings(),
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    LANG: 'C.UTF-8',
    XDG_CONFIG_HOME: join(directory, 'config'),
    XDG_CACHE_HOME: operatorCache(),
    MUSTER_TEST_SCRYPT_LN: process.env.MUSTER_TEST_SCRYPT_LN,
    ...variables,
  }
  const printed: string[] = []
  const call =
    (file: string) =>
    async (args: readonly string[], options: CallOptions = {}): Promise<Outcome> => {
      const outcome = await execute(process.execPath, [program(file), ...args], {
        cwd: directory,
        env: options.withoutPassword === true ? environment : { ...environment, ADMIN_PASS: password },
        ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
        ...(options.input === undefined ? {} : { input: options.input }),
        ...(options.onStart === undefined ? {} : { onStart: options.onStart }),
        ...(options.killWhen === undefined ? {} : { killWhen: options.killWhen }),
      })
      printed.push(outcome.stdout, outcome.stderr)
      return outcome
    }
  return {
    directory,
    muster: call('muster.js'),
    tapi: call('tapi.js'),
    write: (fileName, content) => {
      const path = join(directory, fileName)
      writeFileSync(path, content, { mode: 0o600 })
      return path
    },
    printed: () => printed.join('\n'),
  }
}
