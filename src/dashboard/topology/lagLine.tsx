import { useComputed } from '@preact/signals'
import { coarseNow } from '../state/clock.ts'
import { type ClusterState, lagWindow } from '../state/clusters.ts'
import { sparkLine } from './sparkLine.ts'

type Props = {
  readonly cluster: ClusterState
  /** Key of the data source. */
  readonly of: string
  readonly width: number
  readonly height: number
  readonly x?: number
  readonly y?: number
  /** Within a picture that has its own text. */
  readonly silent?: boolean
}

/** The lag of the last ten minutes as a line, and in words for a screen reader. */
export function LagLine({ cluster, of, width, height, x, y, silent }: Props) {
  const line = useComputed(() =>
    sparkLine(cluster.lags.get(of) ?? [], { width, height, now: coarseNow.value, span: lagWindow }),
  )
  const path = useComputed(() => line.value.path)
  const text = useComputed(() => {
    const { highest } = line.value
    return highest === null
      ? 'lag of the last 10 minutes not known'
      : `highest lag of the last 10 minutes: ${highest} s`
  })
  const box = { class: 'spark', width, height, viewBox: `0 0 ${width} ${height}`, x, y }
  const lines = (
    <>
      <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} class="base" />
      <path d={path} />
    </>
  )
  if (silent === true) {
    return (
      <svg {...box} aria-hidden="true">
        {lines}
      </svg>
    )
  }
  return (
    <svg {...box} role="img" aria-label={text}>
      <title>{text}</title>
      {lines}
    </svg>
  )
}
