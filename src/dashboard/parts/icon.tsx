import type { IconName } from '../text/signs.ts'

const shapes: Readonly<Record<IconName, string>> = {
  check: 'M3.5 8.5l3 3 6-7',
  alert: 'M8 2.2 14.6 13.6H1.4zM8 6.4v3.4M8 11.6v.6',
  cross: 'M4 4l8 8M12 4l-8 8',
  question: 'M5.4 6a2.6 2.6 0 1 1 3.7 2.4C8.3 8.8 8 9.2 8 10.2M8 12.4v.6',
  ring: 'M13 8A5 5 0 1 1 3 8a5 5 0 0 1 10 0z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  ban: 'M13.5 8a5.5 5.5 0 1 1-11 0 5.5 5.5 0 0 1 11 0zM4.2 4.2l7.6 7.6',
  arrow: 'M2.5 8h10M9 4.5 12.5 8 9 11.5',
}

/** A shape beside a word, which says the same. */
export const Icon = ({
  name,
  x,
  y,
}: {
  readonly name: IconName
  readonly x?: number
  readonly y?: number
}) => (
  <svg class="icon" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true" x={x} y={y}>
    <path d={shapes[name]} />
  </svg>
)
