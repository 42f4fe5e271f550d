import type { PictureComponent, PictureHost, VerdictLevel } from '../../contracts/clusterPicture.ts'
import type { ConnectorMode } from '../../contracts/connectorPayloads.ts'
import type { RunEntry } from '../../contracts/dashboard.ts'
import type { TaskPayload } from '../../contracts/managerPayloads.ts'
import type { DataSourceState } from '../../contracts/servicesMap.ts'

/** A state as it is shown: a word and a shape, and a colour that only repeats them. */
export type Sign = {
  readonly word: string
  readonly icon: IconName
  readonly tone: 'good' | 'warn' | 'bad' | 'idle' | 'info'
}

export type IconName = 'check' | 'alert' | 'cross' | 'question' | 'ring' | 'pause' | 'ban' | 'arrow'

const ok: Omit<Sign, 'word'> = { icon: 'check', tone: 'good' }
const broken: Omit<Sign, 'word'> = { icon: 'cross', tone: 'bad' }
const warning: Omit<Sign, 'word'> = { icon: 'alert', tone: 'warn' }
const unknown: Omit<Sign, 'word'> = { icon: 'question', tone: 'idle' }
const off: Omit<Sign, 'word'> = { icon: 'ring', tone: 'idle' }

export const verdictSigns: Readonly<Record<VerdictLevel, Sign>> = {
  down: { ...broken, word: 'DOWN' },
  degraded: { ...warning, word: 'DEGRADED' },
  unknown: { ...unknown, word: 'UNKNOWN' },
  ok: { ...ok, word: 'OK' },
}

export const dataSourceSigns: Readonly<Record<DataSourceState, Sign>> = {
  ONLINE: { ...ok, word: 'ONLINE' },
  OFFLINE: { ...off, word: 'OFFLINE' },
  FAILED: { ...broken, word: 'FAILED' },
  SHUNNED: { icon: 'ban', tone: 'warn', word: 'SHUNNED' },
  UNKNOWN: { ...unknown, word: 'UNKNOWN' },
}

export const connectorSigns: Readonly<Record<ConnectorMode, Sign>> = {
  ONLINE: { ...ok, word: 'ONLINE' },
  ONHOLD: { icon: 'pause', tone: 'warn', word: 'ON HOLD' },
  OFFLINE: { ...off, word: 'OFFLINE' },
}

export const hostSigns: Readonly<Record<PictureHost['state'], Sign>> = {
  up: { ...ok, word: 'up' },
  unreachable: { ...broken, word: 'unreachable' },
  failed: { ...broken, word: 'failed' },
  'not-installed': { ...off, word: 'not installed' },
  unknown: { ...unknown, word: 'unknown' },
}

export const componentSigns: Readonly<Record<PictureComponent['state'], Sign>> = {
  ready: { ...ok, word: 'ready' },
  'not-ready': { ...warning, word: 'not ready' },
  silent: { ...broken, word: 'does not respond' },
  stopped: { ...off, word: 'stopped' },
  unknown: { ...unknown, word: 'unknown' },
}

export const runSigns: Readonly<Record<RunEntry['result'], Sign>> = {
  succeeded: { ...ok, word: 'succeeded' },
  failed: { ...broken, word: 'failed' },
  running: { icon: 'arrow', tone: 'info', word: 'running' },
  interrupted: { ...warning, word: 'interrupted' },
}

export const taskSigns: Readonly<Record<TaskPayload['state'], Sign>> = {
  in_progress: { icon: 'arrow', tone: 'info', word: 'under way' },
  complete: { ...ok, word: 'complete' },
  incomplete: { ...broken, word: 'not complete' },
  failed: { ...broken, word: 'failed' },
}

/** Sign of a certificate by the days that are left, and those from which its end is a problem. */
export function certificateSign(days: number, warningDays: number): Sign {
  if (days < 0) return { ...broken, word: 'ended' }
  return days < warningDays ? { ...warning, word: 'ends soon' } : { ...ok, word: 'valid' }
}
