import { type Command, Option } from 'commander'
import { several } from './several.ts'

/** Adds --host: only some hosts of the file. */
export const hostOption = (made: Command): Command =>
  made.addOption(
    new Option(
      '--host <glob>',
      "only these hosts, such as db1,db2 or 'db*' or 'db[12]'; may be repeated",
    ).argParser(several),
  )

/** Adds --connection. */
export const connectionOption = (made: Command): Command =>
  made.addOption(
    new Option('--connection <way>', 'connect this way, overriding the file').choices(['ssh', 'local']),
  )

/** Adds --service and --connection, which a command has beside --host. */
export const serviceAndConnection = (made: Command): Command =>
  connectionOption(
    made.addOption(
      new Option('--service <glob>', 'only hosts of these services; may be repeated').argParser(several),
    ),
  )

/** What --host was given. */
export const hostsGiven = (made: Command): readonly string[] => made.opts<{ host?: string[] }>().host ?? []
