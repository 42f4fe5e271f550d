import type { Command } from 'commander'
import { requireConfirmation } from '../confirmation.ts'
import type { Runner } from '../runner.ts'
import { groups } from './groups.ts'

/** What makes any call at all. */
export function anyCallCommands(program: Command, { read, change }: Runner): void {
  program
    .command('get')
    .helpGroup(groups.any)
    .description('make any GET call of the API')
    .argument('<path>', 'such as ping, /ping or /api/v2/ping')
    .action((path: string, _options, command: Command) =>
      read(command, async (call) => (await import('../get.ts')).getCommand(call, path)),
    )
  requireConfirmation(program.command('post'))
    .helpGroup(groups.any)
    .description('make any POST call of the API; --i-am-sure adds i-am-sure=true')
    .argument('<path>', 'such as manager/reset')
    .option('--body <body>', 'JSON, @FILE, or - for standard input')
    .action((path: string, { body }: { readonly body?: string }, command: Command) =>
      change(command, async (told) => (await import('../post.ts')).postChange(told, { path, body })),
    )
}
