import { type Command, Option } from 'commander'
import { type Component, components } from '../../contracts/component.ts'

/** Adds --component, for commands that can act on one component alone. */
export const componentOption = (made: Command): Command =>
  made.addOption(
    new Option('--component <component>', 'only this component, on hosts that have it').choices(components),
  )

/** What --component was given. */
export const componentGiven = (made: Command): Component | undefined =>
  made.opts<{ component?: Component }>().component
