import { Argument, Command, Option } from 'commander'
import { complete } from '../../../src/cli/completion/complete.ts'
import { commandContext } from '../../config/commandContext.ts'

/** A program whose words try the quoting of every shell, with files and commands at one place. */
function oddProgram(): Command {
  const odd = `it's "50%" \\ of $HOME, \`id\` [a:b] {c} <d>; e`
  const below = new Command('below').description(odd).option('--flag', odd).argument('<file>', odd)
  const both = new Command('both')
    .description(odd)
    .helpCommand(false)
    .argument('[file...]', odd)
    .addOption(new Option('-c, --choice <word>', odd).choices(['one', 'two']))
    .option('--any <thing>', odd)
    .addCommand(below)
  const hidden = new Command('hidden')
  const choose = new Command('choose').addArgument(new Argument('<first>').choices(['red', 'green']))
  return new Command('odd-one')
    .helpCommand(false)
    .addCommand(both)
    .addCommand(choose)
    .addCommand(hidden, { hidden: true })
}

const { context, out } = commandContext({ cwd: process.cwd() })
complete({ program: oddProgram(), words: process.argv.slice(3), context }).then(() =>
  process.stdout.write(out()),
)
