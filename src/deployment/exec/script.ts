import { quote } from '../../base/shellWords.ts'

/** Bytes of each output stream of a program that are kept. */
export const keptBytes = 64 * 1024

/**
 * sh that runs one program with exactly these words as its name and arguments: nothing in them is expanded, and
 * no word is a command of the shell. Of each output `keptBytes` travel, and behind them on a line of its own how
 * many more there were; the program itself never notices. Ends with the program's exit code.
 */
export function execScript(words: readonly [string, ...string[]]): string {
  return `
bound() { dd bs=65536 count=${keptBytes} iflag=fullblock,count_bytes 2>/dev/null; printf '\\n%s' "$(wc -c)"; }
exec 3>&1
code=$(
  exec 4>&1
  {
    { ( exec ${words.map(quote).join(' ')} 3>&- 4>&- 5>&- ); echo "$?" >&4; } 2>&1 >&5 | bound >&2
  } 5>&1 | bound >&3
)
exit "$code"
`
}
