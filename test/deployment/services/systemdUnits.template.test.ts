import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const text = readFileSync(
  fileURLToPath(new URL('../../../templates/muster-component.service', import.meta.url)),
  'utf8',
)
const settings = text.split('\n').filter((line) => /^\w+=/.test(line))

describe('the systemd unit template', () => {
  it('has exactly the documented placeholders', () => {
    const names = [...text.matchAll(/\{\{(.*?)\}\}/g)].map((match) => match[1])
    expect([...new Set(names)].sort()).toEqual([
      'addresses',
      'capabilities',
      'cluster',
      'component',
      'cpuWeight',
      'group',
      'installDirectory',
      'memoryMax',
      'oomScoreAdjust',
      'protectHome',
      'stopSeconds',
      'tasksMax',
      'user',
    ])
  })

  it('quotes every path below the install directory, which may contain a space', () => {
    const paths = settings.filter((line) => line.includes('{{installDirectory}}'))
    expect(paths.length).toBe(4)
    for (const line of paths) {
      const words = line.match(/[^\s"=]*\{\{installDirectory\}\}|"\{\{installDirectory\}\}[^"]*"/g) ?? []
      expect(words.every((word) => word.startsWith('"'))).toBe(true)
    }
  })

  it('has the hardening settings', () => {
    expect(settings).toEqual(
      expect.arrayContaining([
        'NoNewPrivileges=true',
        'ProtectSystem=strict',
        'ProtectHome={{protectHome}}',
        'PrivateTmp=true',
        'PrivateDevices=true',
        'PrivateMounts=true',
        'CPUWeight={{cpuWeight}}',
        'MemoryMax={{memoryMax}}M',
        'TasksMax={{tasksMax}}',
        'OOMScoreAdjust={{oomScoreAdjust}}',
        'ProtectProc=invisible',
        'ProcSubset=pid',
        'RestrictNamespaces=true',
        'SystemCallFilter=@system-service',
        'UMask=0077',
        'CapabilityBoundingSet={{capabilities}}',
      ]),
    )
  })

  it('makes only the own state, log and runtime directories writable', () => {
    expect(
      settings.filter((line) =>
        /^(ReadWritePaths|BindPaths|(State|Logs|Runtime|Cache|Configuration)Directory(Mode)?)=/.test(line),
      ),
    ).toEqual([
      'StateDirectory=muster-{{cluster}}',
      'StateDirectoryMode=0700',
      'LogsDirectory=muster-{{cluster}}',
      'LogsDirectoryMode=0750',
      'RuntimeDirectory=muster-{{cluster}}/{{component}}',
      'RuntimeDirectoryMode=0700',
    ])
  })

  it('does not set MemoryDenyWriteExecute, which V8 cannot work with', () => {
    expect(settings.filter((line) => line.startsWith('MemoryDenyWriteExecute='))).toEqual([])
  })

  it('repeats only SystemCallFilter', () => {
    const names = settings.map((line) => line.split('=')[0])
    const twice = names.filter((name, index) => names.indexOf(name) !== index)
    expect(twice).toEqual(['SystemCallFilter'])
  })
})
