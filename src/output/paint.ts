/**
 * Returns functions for the colours in use, which return plain text if `colour` is false. SGR codes of
 * ECMA-48.
 */
export function paint(
  colour: boolean,
): Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow', (text: string) => string>> {
  const style =
    (code: number, off: number) =>
    (text: string): string =>
      colour && text !== '' ? `\u001b[${code}m${text}\u001b[${off}m` : text
  return {
    bold: style(1, 22),
    dim: style(2, 22),
    red: style(31, 39),
    green: style(32, 39),
    yellow: style(33, 39),
  }
}
