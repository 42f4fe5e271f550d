import { describe, expect, it } from 'vitest'
import { readServerSettings } from '../../../src/contracts/readServerSettings.ts'
import { targetOf } from '../steps/target.ts'

describe('the settings of a component', () => {
  it('are what a server takes, each with an audit log of its own in the folder of logs', () => {
    const target = targetOf()
    for (const { settings, settingsFile } of target.components) {
      expect(readServerSettings(String(settingsFile.content))).toEqual(settings)
    }
    expect(target.components.map(({ settings }) => settings.auditFile)).toEqual([
      '/opt/muster/log/manager.audit.jsonl',
      '/opt/muster/log/connector.audit.jsonl',
      '/opt/muster/log/replicator.audit.jsonl',
    ])
  })
})
