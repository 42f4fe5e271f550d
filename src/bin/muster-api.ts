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
import { parseJson } from '../base/json.ts'
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
  muster-api describe-database --settings FILE --beside GTIDS
                                      print where the database server of this host has its data, how much, and
                                      its GTIDs (JSON), or why it cannot be made anew. GTIDS are those of
                                      another host, null for none: what it alone has is printed, too
  muster-api send-database --settings FILE --id UUID --to HOST
                                      send a backup of the database server of this host to another one;
                                      standard input has the key of the stream, 64 hexadecimal digits
  muster-api receive-database --settings FILE --id UUID --from HOST --beside GTIDS
                                      make the database server of this host anew from the backup that another
                                      one sends; standard input and GTIDS as above. What it alone has is
                                      saved. Print the steps (JSON, one in each line). SIGTERM ends it until
                                      the server is stopped
  muster-api drill --settings FILE    do one part of a drill, such as killing the database server for a minute;
                                      standard input has the order (JSON), as \`muster drill\` gives it. SIGTERM
                                      ends the one that writes rows
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

/** The values of a command's options; a missing, unknown or doubled one is wrong usage. */
function requiredOptions<Name extends string>(
  args: readonly string[],
  ...names: readonly Name[]
): Readonly<Record<Name, string>> {
  let given: Readonly<Record<string, unknown>>
  try {
    const options = Object.fromEntries(
      names.map((name) => [name, { type: 'string', multiple: true } as const]),
    )
    given = parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
  const values = names.map((name) => {
    const [value, ...others] = (given[name] ?? []) as readonly unknown[]
    if (typeof value !== 'string' || value === '') {
      throw new UsageError(
        `the option --${name} ${name === 'settings' || name === 'file' ? 'FILE ' : ''}is missing`,
      )
    }
    if (others.length > 0) throw new UsageError(`the option --${name} is given more than once`)
    return [name, value] as const
  })
  return Object.fromEntries(values) as Readonly<Record<Name, string>>
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

const settingsOf = (args: readonly string[]): Promise<ServerSettings> =>
  readSettings(requiredOptions(args, 'settings').settings)

async function readSettings(file: string): Promise<ServerSettings> {
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
  const { file } = requiredOptions(args, 'file')
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

/** Returns a signal that a signal of the system aborts. */
function endedBySignal(): AbortSignal {
  const end = new AbortController()
  for (const it of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(it, () => end.abort(new StartError('it was told to end')))
  }
  return end.signal
}

async function printDatabase(args: readonly string[]): Promise<void> {
  const { settings, beside } = requiredOptions(args, 'settings', 'beside')
  const { describeDatabase, findDatabase } = await import('../components/provision/hostDatabase.ts')
  const own = await findDatabase(await readSettings(settings))
  const other = beside === 'null' ? undefined : await gtidsOf(beside)
  process.stdout.write(`${JSON.stringify(await describeDatabase(own, other))}\n`)
}

/** Parses the GTIDs of another server. Throws a `UsageError`. */
async function gtidsOf(json: string) {
  const { ServerGtids } = await import('../contracts/provisioning.ts')
  const { Value } = await import('typebox/value')
  const gtids = parseJson(json)
  if (Value.Check(ServerGtids, gtids)) return gtids
  throw new UsageError('the option --beside has no GTIDs of a server')
}

/** Reads the options that both ends of a stream of a database have. */
async function streamOptions() {
  const { streamKey } = await import('../components/provision/sealedStream.ts')
  const key = streamKey((await text(process.stdin)).trim())
  if (!key) throw new UsageError('standard input has no key of a stream')
  const self = [process.execPath, ...process.argv.slice(1, 2)] as const
  return { key, self, signal: endedBySignal() }
}

async function sendBackup(args: readonly string[]): Promise<void> {
  const { settings, id, to } = requiredOptions(args, 'settings', 'id', 'to')
  const { sendDatabase } = await import('../components/provision/provisionDatabase.ts')
  await sendDatabase(await readSettings(settings), { id, to, ...(await streamOptions()) })
}

/** Milliseconds between two lines about the bytes that were received. */
const bytesPause = 500

async function receiveBackup(args: readonly string[]): Promise<void> {
  const { settings, id, from, beside } = requiredOptions(args, 'settings', 'id', 'from', 'beside')
  const { receiveDatabase } = await import('../components/provision/provisionDatabase.ts')
  // It goes on where nobody reads what it says.
  process.stdout.on('error', () => undefined)
  let told = Number.NEGATIVE_INFINITY
  await receiveDatabase(await readSettings(settings), {
    ...{ id, from, theirs: await gtidsOf(beside), ...(await streamOptions()) },
    say: (progress) => {
      const now = performance.now()
      if (progress.bytes !== undefined && now < told + bytesPause) return
      told = now
      // The last line feed of an output may arrive late at the other end of SSH.
      process.stdout.write(`${JSON.stringify(progress)}\n\n`)
    },
  })
}

async function drill(args: readonly string[]): Promise<void> {
  const settings = await settingsOf(args)
  const [{ DrillOrder }, { Value }, { handleOrder }] = await Promise.all([
    import('../contracts/drilling.ts'),
    import('typebox/value'),
    import('../components/drill/handleOrder.ts'),
  ])
  const order = parseJson(await text(process.stdin))
  if (!Value.Check(DrillOrder, order)) throw new UsageError('standard input has no order of a drill')
  const end = new AbortController()
  // Nobody reads on.
  process.stdout.on('error', () => end.abort())
  const response = await handleOrder(settings, order, {
    signal: AbortSignal.any([endedBySignal(), end.signal]),
    // The last line feed of an output may arrive late at the other end of SSH.
    say: (line) => process.stdout.write(`${JSON.stringify(line)}\n\n`),
  })
  if (response !== undefined) process.stdout.write(`${JSON.stringify(response)}\n`)
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
  const { file } = requiredOptions(args, 'file')
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
    case 'describe-database':
      return printDatabase(args)
    case 'send-database':
      return sendBackup(args)
    case 'receive-database':
      return receiveBackup(args)
    case 'drill':
      return drill(args)
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
