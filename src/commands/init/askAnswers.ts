import { homedir } from 'node:os'
import { wrap } from '../../base/wrapping.ts'
import { ask } from '../../cli/ask.ts'
import type { CommandContext } from '../../cli/context.ts'
import { textWidth } from '../../cli/terminal.ts'
import { UsageError } from '../../cli/usageError.ts'
import { loadConfig } from '../../config/load.ts'
import type { ClusterConfig } from '../../config/model.ts'
import { type StartingFile, type StartingHost, startingFile } from './startingFile.ts'

/** Returns true for hosts that are this machine alone, which needs no SSH. */
export const isThisMachine = (hosts: readonly StartingHost[]): boolean =>
  hosts.length === 1 && hosts[0]?.name === 'localhost' && hosts[0].address === 'localhost'

/** The configuration of a starting file, or the message and fix of the first error in it. */
export type CheckedFile =
  | { readonly text: string; readonly config: ClusterConfig }
  | { readonly message: string; readonly fix: string }

/** Checks a starting file by the rules of the configuration; answers are refused with the findings of the file. */
export function checkStartingFile(context: CommandContext, answers: StartingFile): CheckedFile {
  const text = startingFile(answers)
  const files = [{ name: 'muster.yaml', directory: context.cwd, text }]
  const { config, diagnostics } = loadConfig({ files, home: context.env.HOME ?? homedir() })
  const error = diagnostics.find(({ severity }) => severity === 'error')
  if (error !== undefined) return { message: error.message, fix: error.fix }
  if (config === undefined) throw new Error('a file without an error has no configuration')
  return { text, config }
}

/** Parses hosts, each as NAME=ADDRESS or as a name that is also the address, between spaces and commas. */
export const parseHosts = (text: string): readonly StartingHost[] =>
  text
    .split(/[\s,]+/)
    .filter((word) => word !== '')
    .map((word) => {
      const at = word.indexOf('=')
      return at === -1
        ? { name: word, address: word }
        : { name: word.slice(0, at), address: word.slice(at + 1) }
    })

/** Valid values for what has not been asked yet. */
const placeholder: StartingFile = {
  cluster: 'alpha',
  hosts: [{ name: 'db1', address: '10.0.0.11' }],
  user: 'ops',
  become: true,
}

type Question<Value> = {
  readonly question: string
  /** Taken for an empty answer. */
  readonly usual?: string
  readonly parse: (text: string) => Value | undefined
  /** Why an answer that `parse` does not know is refused. */
  readonly wants: string
  /** The part of the file that the answer is. */
  readonly part?: (value: Value) => Partial<StartingFile>
}

/** Asks for what a starting file needs, and again for each answer that the file could not have. */
export async function askAnswers(
  context: CommandContext,
): Promise<StartingFile | { readonly localCluster: string }> {
  const width = textWidth(context.stderr)
  const say = (text: string, first = '', rest = ''): void =>
    void context.stderr.write(`${wrap(text, { width, first, rest }).join('\n')}\n`)

  const put = async <Value>({ question, usual, parse, wants, part }: Question<Value>): Promise<Value> => {
    for (;;) {
      const typed = await ask(context, `${question}${usual === undefined ? '' : ` [${usual}]`}:`)
      if (typed === undefined) {
        throw new UsageError(
          'The input ended before the last question.',
          'Run `muster init` again, or pass --host and --user.',
        )
      }
      const value = parse(typed === '' ? (usual ?? '') : typed)
      if (value === undefined) {
        say(wants, '  ', '  ')
        continue
      }
      const checked = part && checkStartingFile(context, { ...placeholder, ...part(value) })
      if (checked === undefined || 'text' in checked) return value
      say(checked.message, '  ', '  ')
      say(checked.fix, '  fix: ', '       ')
    }
  }
  const yesOrNo = (question: string, usual: 'yes' | 'no'): Promise<boolean> =>
    put({
      question,
      usual,
      parse: (text) => (/^y(es)?$/i.test(text) ? true : /^no?$/i.test(text) ? false : undefined),
      wants: 'Answer yes or no.',
    })

  say('This writes a configuration file. Enter takes the answer in brackets; Ctrl-C ends without a file.')
  const given = (text: string): string | undefined => (text === '' ? undefined : text)
  const cluster = await put({
    question: 'Name of the cluster',
    usual: 'alpha',
    parse: given,
    wants: 'Give a name.',
    part: (name) => ({ cluster: name }),
  })
  const hosts = await put({
    question: 'Hosts, such as db1=10.0.0.11 db2=10.0.0.12, or localhost for this machine',
    parse: (text) => (parseHosts(text).length === 0 ? undefined : parseHosts(text)),
    wants: 'Give each host a name and an address, as NAME=ADDRESS, with spaces between them.',
    part: (those) => ({ hosts: those }),
  })
  if (isThisMachine(hosts)) return { localCluster: cluster }
  const user = await put({
    question: 'User to log in as over SSH',
    usual: context.env.USER ?? 'root',
    parse: given,
    wants: 'Give the name of a user.',
    part: (name) => ({ user: name }),
  })
  const become = user !== 'root' && (await yesOrNo(`Does ${user} become root by sudo?`, 'yes'))
  const withDatabases = await yesOrNo('Do the hosts run database servers of this cluster?', 'no')
  if (!withDatabases) return { cluster, hosts, user, become }
  const databases = await put({
    question: 'Their kind, mariadb or mysql',
    usual: 'mariadb',
    parse: (text) => (text === 'mariadb' || text === 'mysql' ? text : undefined),
    wants: 'Answer mariadb or mysql.',
  })
  say(
    'muster needs two accounts in the databases: muster for replication and muster_monitor for checks. ' +
      'Put their passwords into the environment, as REPLICATION_PASSWORD and MONITOR_PASSWORD. ' +
      '`muster explain replication-user` and `muster explain monitor-user` print the SQL.',
    '  ',
    '  ',
  )
  return { cluster, hosts, user, become, databases }
}

/** Asks about the test of the connections. */
export async function wantsTest(context: CommandContext): Promise<boolean> {
  const answer = await ask(context, 'Test the connections to the hosts now? [yes]:')
  return answer !== undefined && !/^no?$/i.test(answer)
}
