import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { exact } from '../../contracts/schemaParts.ts'
import { MapName } from '../../contracts/servicesMap.ts'
import type { StateFile } from '../stateFile.ts'
import { addressOf, type DataSource } from './dataSources.ts'
import { isSameStart, type LastRun } from './decideOwnServer.ts'

const StoredRun = Type.Object(
  {
    service: MapName,
    name: MapName,
    host: Type.String(),
    port: Type.Integer(),
    startedAt: Type.Integer(),
    wasWriter: Type.Boolean(),
    wasSemiSyncSource: Type.Boolean(),
    follows: Type.Optional(MapName),
    wasCrashed: Type.Optional(Type.Literal(true)),
    gaveWay: Type.Optional(Type.Literal(true)),
    kept: Type.Optional(Type.String()),
  },
  exact,
)

const StoredRuns = Type.Object({ version: Type.Literal(1), runs: Type.Array(StoredRun) }, exact)

/** Records of what the servers of this host were when they were last as they should be. */
export type LastRuns = {
  of(source: DataSource): LastRun | undefined
  /** Records a run; it is on disk when this returns, if it is another one. Throws the error of a disk that refuses it. */
  note(source: DataSource, run: LastRun): void
}

/** Path of the records of the manager with this file of its state. */
export const runsFileOf = (stateFile: string): string => stateFile.replace(/\.json$/, '.runs.json')

/**
 * Opens the records in a file of their own: releases that do not know them read the manager's state as before. What cannot
 * be read counts as nothing, since without a record a person decides.
 */
export function openLastRuns(file: StateFile): LastRuns {
  let runs: readonly Static<typeof StoredRun>[] = readRuns(file)
  const of = (source: DataSource): LastRun | undefined =>
    runs.find((it) => addressOf(it) === addressOf(source))
  return {
    of,
    note: (source, run) => {
      const before = of(source)
      if (before && isSame(before, run)) return
      const { service, name, host, port } = source
      const others = runs.filter((it) => it.service !== service || it.name !== name)
      const next = [...others, { service, name, host, port, ...run }]
      file.write({ version: 1, runs: next })
      runs = next
    },
  }
}

function readRuns(file: StateFile): readonly Static<typeof StoredRun>[] {
  try {
    const value = file.read()
    return Value.Check(StoredRuns, value) ? value.runs : []
  } catch {
    return []
  }
}

const isSame = (one: LastRun, other: LastRun): boolean =>
  one.wasWriter === other.wasWriter &&
  one.wasSemiSyncSource === other.wasSemiSyncSource &&
  one.wasCrashed === other.wasCrashed &&
  one.gaveWay === other.gaveWay &&
  one.kept === other.kept &&
  one.follows === other.follows &&
  isSameStart(one.startedAt, other.startedAt)
