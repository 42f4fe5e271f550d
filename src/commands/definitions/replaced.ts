import { type Command, Option } from 'commander'
import { several } from './several.ts'

/** Adds --replaced: hosts that are other machines than before, and are meant to be. */
export const replaced = (made: Command): Command =>
  made.addOption(
    new Option('--replaced <host>', 'accept that this host is a new machine; may be repeated').argParser(
      several,
    ),
  )

/** What --replaced was given. */
export const replacedGiven = (made: Command): readonly string[] =>
  made.opts<{ replaced?: string[] }>().replaced ?? []
