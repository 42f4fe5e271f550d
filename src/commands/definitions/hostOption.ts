import { type Command, Option } from 'commander'

/** Adds --host: only some hosts of the file. */
export const hostOption = (made: Command): Command =>
  made.addOption(
    new Option('--host <glob>', "only these hosts, such as 'db*'; may be repeated").argParser(
      (value: string, before: string[] | undefined) => [...(before ?? []), value],
    ),
  )

/** What --host was given, for `selectHosts`. */
export const hostsGiven = (made: Command): readonly string[] => made.opts<{ host?: string[] }>().host ?? []
