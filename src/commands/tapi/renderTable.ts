import { tableLines } from '../../output/table.ts'

/** Rows under a headline, in aligned columns, or in blocks where the terminal is too narrow; ends with a newline. */
export const renderTable = (
  titles: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Number.POSITIVE_INFINITY,
): string => `${tableLines({ titles, rows, colour: false, width: columns }).join('\n')}\n`
