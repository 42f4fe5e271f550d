#!/usr/bin/env node
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import packageJson from '../../package.json' with { type: 'json' }
import {
  putUser,
  readUserChange,
  readUserRecord,
  readUserUpdate,
  removeUnchangedUser,
  revertUser,
} from '../accounts/userFile.ts'
import { changeUserFile } from '../accounts/userFileIo.ts'
import { dropPrivilegesToOwner } from '../api/dropPrivileges.ts'
import { readText } from '../api/serverFiles.ts'
import { StartError } from '../api/startError.ts'
import { userNameProblems } from '../contracts/credentialRules.ts'
import type { ServerSettings } from '../contracts/serverSettings.ts'

const help = `muster-api: the REST API (APIv2) of one component on one host

  muster-api serve --settings FILE    serve until SIGTERM or SIGINT; the log goes to standard output;
                                      SIGHUP reads the certificate again
  muster-api check --settings FILE    check that these settings can be served; start nothing
  muster-api put-user --file FILE     add or change users; standard input has {"user","hash","access"}, or a
                                      list. Without "hash" or "access" a user keeps its own; a new one
                                      needs "hash", and has the access level full without "access"
  muster-api remove-user --file FILE  remove users that have not changed; standard input has
                                      {"user","hash","access"}, or a list
  muster-api take-back-user --file FILE
                                      undo put-user; standard input has {"user","hash","access","before",
                                      "beforeAccess"}, or a list. "before" is the hash that put-user
                                      replaced, if any. A later change stays. Without "hash" it undoes
                                      remove-user
  muster-api crash-database --settings FILE
                                      kill the database server of these settings and start its unit, so that
                                      it removes commits that no replica has
  muster-api try-databases --settings FILE
                                      log in to the databases of these settings, print the results (JSON);
                                      read no data
  muster-api try-channels --settings FILE
                                      call the managers of other hosts of these settings, print the results
                                      (JSON)
  muster-api call                     make the calls listed on standard input (JSON), print the results
  muster-api verify-audit --file FILE
                                      verify the chain of an audit log and its older files, print the result
                                      (JSON); exit code 1 if a line does not match
  muster-api version                  print the version
  muster-api --help                   print this

Exit codes: 0 done, 1 failed, 3 wrong usage.
`

/** Wrong usage: exit code 3. */
class UsageError extends Error {}

/** The one option of a command; a missing, unknown or doubled one is wrong usage. */
function requiredOption(args: readonly string[], name: string): string {
  let values: readonly unknown[]
  try {
    const options = { [name]: { type: 'string', multiple: true } } as const
    const given = parseArgs({ args: [...args], options, strict: true, allowPositionals: false })
    values = given.values[name] ?? []
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
  const [value] = values
  if (typeof value !== 'string' || value === '') throw new UsageError(`the option --${name} FILE is missing`)
  if (values.length > 1) throw new UsageError(`the option --${name} is given more than once`)
  return value
}

function rejectArguments(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unexpected argument '${args[0]}'`)
}

/** Runs the part of a command that validates its input: an Error there is a message for the user. */
async function withReason<Result>(what: string, work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof StartError) throw error
    throw new StartError(`${what}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

// What a command alone needs is loaded by it: the short ones run many times in a deployment.

async function settingsOf(args: readonly string[]): Promise<ServerSettings> {
  const file = requiredOption(args, 'settings')
  const { readServerSettings } = await import('../contracts/serverSettings.ts')
  return withReason(`the settings ${file} cannot be used`, () =>
    readServerSettings(readText(file, 'the settings')),
  )
}

async function serveComponent(args: readonly string[]): Promise<void> {
  process.umask(0o077)
  const settings = await settingsOf(args)
  const { serve } = await import('./serve.ts')
  await serve(settings, packageJson.version)
}

/** JSON.parse with a message that quotes nothing. */
function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new Error('it is not JSON')
  }
}

/** Reads a list from standard input, item by item; a single item may stand without its list. */
const listOnStdin = <One>(what: string, read: (value: unknown) => One): Promise<readonly One[]> =>
  withReason(`standard input contains no ${what}`, async () => {
    const value = parsed(await text(process.stdin))
    return (Array.isArray(value) ? value : [value]).map((one: unknown) => read(one))
  })

const printChanged = (changed: boolean): void => {
  process.stdout.write(`${JSON.stringify({ changed })}\n`)
}

/** The user file that is to be changed; root changes it with no more rights than the owner of its folder has. */
function userFile(args: readonly string[]): string {
  const file = requiredOption(args, 'file')
  dropPrivilegesToOwner(file)
  return file
}

async function crashDatabase(args: readonly string[]): Promise<void> {
  const settings = await settingsOf(args)
  const { crashOwnServer } = await import('../components/manager/crashServer.ts')
  await crashOwnServer(settings)
}

async function tryDatabases(args: readonly string[]): Promise<void> {
  const settings = await settingsOf(args)
  const { tryLogins } = await import('../components/databases/tryLogins.ts')
  process.stdout.write(`${JSON.stringify(await tryLogins(settings))}\n`)
}

async function tryManagers(args: readonly string[]): Promise<void> {
  const settings = await settingsOf(args)
  const { tryChannels } = await import('../components/tryChannels.ts')
  process.stdout.write(`${JSON.stringify(await tryChannels(settings))}\n`)
}

async function putUsers(args: readonly string[]): Promise<void> {
  const file = userFile(args)
  const records = await listOnStdin('user', (value) => {
    const given = readUserUpdate(value)
    const problems = userNameProblems(given.user)
    if (problems.length > 0) throw new Error(`the user name ${problems.join(', ')}`)
    return given
  })
  printChanged(
    await withReason('the user was not written', () =>
      changeUserFile(file, (users) => records.reduce(putUser, users)),
    ),
  )
}

async function removeUsers(args: readonly string[]): Promise<void> {
  const file = userFile(args)
  const seen = await listOnStdin('user', readUserRecord)
  printChanged(
    await withReason('the user was not removed', () =>
      changeUserFile(file, (users) => seen.reduce(removeUnchangedUser, users)),
    ),
  )
}

async function revertUsers(args: readonly string[]): Promise<void> {
  const file = userFile(args)
  const written = await listOnStdin('user', readUserChange)
  printChanged(
    await withReason('the change was not reverted', () =>
      changeUserFile(file, (users) => written.reduce(revertUser, users)),
    ),
  )
}

async function verifyAuditLog(args: readonly string[]): Promise<void> {
  const file = requiredOption(args, 'file')
  dropPrivilegesToOwner(file)
  const { verifyAudit } = await import('../api/audit/verifyAudit.ts')
  const verdict = verifyAudit(file)
  process.stdout.write(`${JSON.stringify(verdict)}\n`)
  if (verdict.fault !== null) process.exitCode = 1
}

async function call(args: readonly string[]): Promise<void> {
  rejectArguments(args)
  const { callAll, parseCallRequests } = await import('../client/call.ts')
  const requests = await withReason('standard input contains no list of calls', async () =>
    parseCallRequests(await text(process.stdin)),
  )
  process.stdout.write(`${JSON.stringify(await callAll(requests))}\n`)
}

async function run([command, ...args]: readonly string[]): Promise<void> {
  switch (command) {
    case 'serve':
      return serveComponent(args)
    case 'check':
      await settingsOf(args)
      return
    case 'put-user':
      return putUsers(args)
    case 'remove-user':
      return removeUsers(args)
    case 'take-back-user':
      return revertUsers(args)
    case 'verify-audit':
      return verifyAuditLog(args)
    case 'crash-database':
      return crashDatabase(args)
    case 'try-databases':
      return tryDatabases(args)
    case 'try-channels':
      return tryManagers(args)
    case 'call':
      return call(args)
    case 'version':
    case '--version':
      rejectArguments(args)
      process.stdout.write(`${packageJson.version}\n`)
      return
    case 'help':
    case '--help':
      process.stdout.write(help)
      return
    default:
      throw new UsageError(
        command === undefined ? 'a command is missing' : `no command is named '${command}'`,
      )
  }
}

function fail(error: unknown): void {
  if (error instanceof UsageError) {
    process.stderr.write(`muster-api: ${error.message}; see muster-api --help\n`)
    process.exitCode = 3
    return
  }
  // An error that the user cannot fix is a bug and keeps its stack.
  const message = error instanceof StartError || !(error instanceof Error) ? `${error}` : error.stack
  process.stderr.write(`muster-api: ${message?.replace(/^StartError: /, '')}\n`)
  process.exitCode = 1
}

run(process.argv.slice(2)).catch(fail)
