import type { ComponentChildren } from 'preact'

export type Column = {
  readonly title: string
  /** `number` aligns right; `actions` has a title for screen readers alone. */
  readonly kind?: 'number' | 'actions'
}

type Props = {
  readonly label: string
  readonly columns: readonly Column[]
  readonly keys: readonly string[]
  /** Cells of a row, the first of which names it. A row follows what this reads, and no other row does. */
  readonly row: (key: string) => readonly ComponentChildren[]
}

/** A table; on a narrow screen each row is a card. Roles are written down, since `display` would take them away. */
export const Table = ({ label, columns, keys, row }: Props) => (
  <table role="table" aria-label={label}>
    <thead role="rowgroup">
      <tr role="row">
        {columns.map(({ title, kind }) => (
          <th role="columnheader" scope="col" class={kind}>
            {kind === 'actions' ? <span class="unseen">{title}</span> : title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody role="rowgroup">
      {keys.map((key) => (
        <Row key={key} of={key} columns={columns} row={row} />
      ))}
    </tbody>
  </table>
)

function Row({ of, columns, row }: Pick<Props, 'columns' | 'row'> & { readonly of: string }) {
  const cells = row(of)
  return (
    <tr role="row">
      {cells.map((cell, index) =>
        index === 0 ? (
          <th role="rowheader" scope="row">
            {cell}
          </th>
        ) : (
          <td role="cell" class={columns[index]?.kind} data-label={columns[index]?.title}>
            {cell}
          </td>
        ),
      )}
    </tr>
  )
}
