import { useSignal } from '@preact/signals'
import type { ClusterRuns, RunEntry } from '../../contracts/dashboard.ts'
import { Failures } from '../parts/failures.tsx'
import { Heading } from '../parts/heading.tsx'
import { HostNames } from '../parts/hostNames.tsx'
import { Loaded, ReloadButton, useLoaded } from '../parts/loaded.tsx'
import { Pill } from '../parts/pill.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { When } from '../parts/when.tsx'
import type { ClusterState } from '../state/clusters.ts'
import { runSigns } from '../text/signs.ts'
import { durationText } from '../text/times.ts'
import { count, shown } from '../text/words.ts'

/** What was done, when and by whom. */
export function RunsPage({ cluster }: { readonly cluster: ClusterState }) {
  const loaded = useLoaded<ClusterRuns>('runs', { cluster: cluster.name })
  return (
    <>
      <Heading title="Runs">
        <p class="muted grow">What was done, when and by whom, newest first.</p>
        <ReloadButton of={loaded} />
      </Heading>
      <Loaded of={loaded} what="the runs" show={(runs) => <AllRuns {...runs} />} />
    </>
  )
}

function AllRuns({ runs, failures }: ClusterRuns) {
  const sought = useSignal('')
  const wanted = sought.value.toLowerCase()
  const found = runs.filter((run) =>
    [run.what, run.by, run.at, run.result, run.detail ?? '', ...run.hosts]
      .join(' ')
      .toLowerCase()
      .includes(wanted),
  )
  return (
    <>
      <Failures failures={failures} />
      <section class="card" aria-label="Runs">
        <div class="bar">
          <input
            type="search"
            aria-label="Find a run"
            placeholder="Find a person, call, host…"
            onInput={(event) => {
              sought.value = event.currentTarget.value
            }}
          />
          <p class="muted">{count(found.length, 'run')}</p>
        </div>
        {found.length > 0 && <RunsTable label="Runs" runs={found} />}
      </section>
    </>
  )
}

const columns: readonly Column[] = [
  { title: 'What' },
  { title: 'When' },
  { title: 'By' },
  { title: 'Result' },
  { title: 'Took', kind: 'number' },
  { title: 'Hosts' },
]

export function RunsTable({ label, runs }: { readonly label: string; readonly runs: readonly RunEntry[] }) {
  const byKey = new Map(runs.map((run, index) => [`${index} ${run.id}`, run]))
  return (
    <Table label={label} columns={columns} keys={[...byKey.keys()]} row={(key) => runCells(byKey.get(key))} />
  )
}

function runCells(run: RunEntry | undefined) {
  if (run === undefined) return []
  return [
    shown(run.what),
    <When at={run.time} />,
    <>
      {shown(run.by)}
      <span class="sub">at {shown(run.at)}</span>
    </>,
    <>
      <Pill sign={runSigns[run.result]} />
      {run.detail !== null && <span class="sub reason">{shown(run.detail)}</span>}
    </>,
    run.seconds === null ? <span class="muted">–</span> : durationText(run.seconds),
    <HostNames hosts={run.hosts} />,
  ]
}
