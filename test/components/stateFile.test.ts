import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { StartError } from '../../src/api/startError.ts'
import { createStateFile } from '../../src/components/stateFile.ts'
import { temporaryFolder } from '../support/temporaryFolder.ts'

describe('createStateFile', () => {
  it('holds nothing, and then what was written last, for its owner alone', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'state.json')
    const file = createStateFile(path)
    expect(file.read()).toBeUndefined()
    file.write({ a: 1, text: 'é' })
    expect(file.read()).toEqual({ a: 1, text: 'é' })
    file.write([])
    expect(createStateFile(path).read()).toEqual([])
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(readdirSync(folder)).toEqual(['state.json'])
  })

  it('is another file after each change: who reads it never sees half of one', () => {
    const path = join(temporaryFolder(), 'state.json')
    const file = createStateFile(path)
    file.write({ a: 1 })
    const before = statSync(path).ino
    const old = readFileSync(path, 'utf8')
    file.write({ a: 2 })
    expect(statSync(path).ino).not.toBe(before)
    expect(old).toBe('{\n  "a": 1\n}\n')
  })

  it('takes over from a process that died while it wrote, and follows no link that lies there', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'state.json')
    const stranger = join(folder, 'stranger')
    writeFileSync(stranger, 'mine')
    symlinkSync(stranger, `${path}.new`)
    createStateFile(path).write({ a: 1 })
    expect(readFileSync(stranger, 'utf8')).toBe('mine')
    writeFileSync(`${path}.new`, '{"a":', { mode: 0o644 })
    createStateFile(path).write({ a: 2 })
    expect(createStateFile(path).read()).toEqual({ a: 2 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
  })

  it('keeps what it had where the new cannot be written', () => {
    const folder = temporaryFolder()
    const path = join(folder, 'state.json')
    const file = createStateFile(path)
    file.write({ a: 1 })
    mkdirSync(`${path}.new`)
    expect(() => file.write({ a: 2 })).toThrow()
    expect(file.read()).toEqual({ a: 1 })
    rmSync(`${path}.new`, { recursive: true })
    const circle: { self?: unknown } = {}
    circle.self = circle
    expect(() => file.write(circle)).toThrow()
    expect([file.read(), readdirSync(folder)]).toEqual([{ a: 1 }, ['state.json']])
    const gone = createStateFile(join(folder, 'none', 'state.json'))
    expect(() => gone.write({})).toThrow(/ENOENT/)
  })

  it('says which file cannot be used, why, and the way out', () => {
    const path = join(temporaryFolder(), 'state.json')
    const failure = (): unknown => {
      try {
        return createStateFile(path).read()
      } catch (error) {
        return error
      }
    }
    writeFileSync(path, '{"secret": ')
    expect(failure()).toBeInstanceOf(StartError)
    expect(failure()).toMatchObject({
      message: `cannot use the state ${path}: it is not JSON. Remove it to start with what was installed`,
    })
    rmSync(path)
    mkdirSync(path)
    expect(failure()).toMatchObject({
      message: expect.stringContaining(`${path}: it is not a regular file.`),
    })
  })
})
