import { describe, expect, it } from 'vitest'
import { serviceManagerNames } from '../../../src/config/settings/serviceManagerNames.ts'
import {
  automaticManager,
  installedManager,
  serviceData,
  serviceManagers,
} from '../../../src/deployment/services/implementations.ts'
import { hostFacts, installationFacts } from '../../support/deploymentValues.ts'

describe('the service manager of a host', () => {
  it.each([
    [0, true, 'systemd'],
    [0, false, 'process'],
    [1000, true, 'process'],
    [1000, false, 'process'],
  ] as const)('is chosen by login and systemd: uid %i, systemd %s: %s', (uid, systemd, name) => {
    expect(automaticManager(hostFacts({ uid, systemd }))).toBe(name)
  })

  it('is the installed one, whatever the file says', () => {
    const units = new Map([['manager', '[Service]\n'] as const])
    expect(installedManager(hostFacts({ installation: installationFacts({ units }) }))).toBe('systemd')
    const installation = installationFacts({ units, definedBy: 'process' })
    expect(installedManager(hostFacts({ installation }))).toBe('process')
    expect(installedManager(hostFacts())).toBe('process')
  })

  it.each(serviceManagerNames)('keeps data in a place with its name: %s', (name) => {
    expect(serviceData(name, { root: '/opt/muster', cluster: 'alpha' }).place).toBe(name)
  })

  it.each(serviceManagerNames)('has definitions if it keeps logs: %s', (name) => {
    const { logs, definitions } = serviceManagers[name]
    expect(logs === undefined || definitions !== undefined).toBe(true)
  })
})
