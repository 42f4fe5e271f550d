import { boundedMessage } from '../base/printable.ts'
import { quote } from '../base/shellWords.ts'
import type { Component } from '../contracts/component.ts'
import type { Secret } from '../secrets/secret.ts'
import type { Transport } from '../transport/transport.ts'
import type { InstalledFacts } from './facts/hostFacts.ts'
import { layoutOf } from './layout.ts'
import { musterApiCommand } from './musterApiCommand.ts'
import type { SurveyedHost } from './survey.ts'

export const settingsOf = (
  { host }: SurveyedHost<InstalledFacts>,
  component: Component = 'manager',
): string => quote(layoutOf(host.installDirectory).settings(component))

export const command = ({ host }: SurveyedHost<InstalledFacts>, words: string): string =>
  musterApiCommand(layoutOf(host.installDirectory).current, words)

/** Message and fix for a host whose login is not root. */
export const notRoot = [
  'its login is not root',
  'Log in as root, or with sudo: see `muster explain become`.',
] as const

/** Returns the words of a host about its failure, without the name of its program. */
export const wordsOf = (stderr: string, code: number): string =>
  boundedMessage(stderr.trim().replace(/^muster-api: /, '') || `exit code ${code}`)

/** Line of the script below once its program has ended. */
export const ended = 'ended'

/** sh that gives a secret to a program as its standard input, and ends the program once its own has a byte or ends. */
export const endable = (input: Secret, program: string): string => `exec 3<&0
printf %s ${quote(input.reveal())} | ${program} 3<&- &
program=$!
( exec >/dev/null 2>&1; read -r _ <&3; kill "$program" ) &
reader=$!
exec 3<&-
wait "$program"; code=$?
printf '${ended}\n\n'
kill "$reader" 2>/dev/null
exit "$code"`

/** Runs a script that the signal ends; a transport without `follow` cannot. */
export async function followed(
  { follow }: Transport,
  script: string,
  options: { readonly onOutput: (bytes: Buffer) => void; readonly signal: AbortSignal },
): Promise<{ readonly code: number; readonly stderr: string }> {
  if (follow === undefined) throw new Error('this transport runs only scripts that end')
  const { code, stderr } = await follow(script, options)
  return { code, stderr: stderr.raw() }
}

/** Characters of a line at most. */
const longestLine = 4096

/** Calls back with each line of what arrives in pieces. */
export function linesOf(onLine: (line: string) => void): (bytes: Buffer) => void {
  let kept = ''
  return (bytes) => {
    const lines = `${kept}${bytes.toString('utf8')}`.split('\n')
    kept = (lines.pop() ?? '').slice(0, longestLine)
    for (const line of lines) onLine(line)
  }
}
