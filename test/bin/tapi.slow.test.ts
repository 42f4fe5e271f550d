import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { serveTls } from '../support/loopbackServer.ts'
import { authority, fakeApi, leaf, sentinel } from '../tapi/support.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const hasScript = (): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
}

describe('the program tapi', () => {
  let folder = ''
  let program = ''
  let ca = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapi-bin-'))
    program = join(folder, 'dist', 'tapi.mjs')
    ca = join(folder, 'authority.crt')
    await writeFile(ca, authority.certificate)
    await copyFile(join(root, 'package.json'), join(folder, 'package.json'))
    await build({
      entryPoints: [join(root, 'src/bin/tapi.ts')],
      bundle: true,
      platform: 'node',
      target: 'node20.19',
      format: 'esm',
      outfile: program,
      banner: {
        js: "import{createRequire as nodeRequire}from'node:module';const require=nodeRequire(import.meta.url);",
      },
    })
  })

  afterAll(() => rm(folder, { recursive: true }))

  const start = (argv: readonly string[], env: Record<string, string> = {}): ChildProcess =>
    spawn(process.execPath, [program, ...argv], {
      env: { HOME: folder, PATH: process.env.PATH, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })

  async function end(child: ChildProcess) {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => (stdout += chunk))
    child.stderr?.on('data', (chunk) => (stderr += chunk))
    const code = await new Promise((resolve) => child.once('close', resolve))
    return { code, stdout, stderr }
  }

  it('prints the version of package.json, from any folder', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    expect(await end(start(['--version']))).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it('exits with the code of the command', async () => {
    expect(await end(start(['ping']))).toMatchObject({ code: 3, stdout: '' })
  })

  it('reports that its working directory was deleted', async () => {
    const gone = join(folder, 'gone')
    const script = `mkdir '${gone}' && cd '${gone}' && rmdir '${gone}' && exec '${process.execPath}' '${program}' ping`
    expect(await end(spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'pipe', 'pipe'] }))).toEqual({
      code: 3,
      stdout: '',
      stderr: 'error: the current folder no longer exists.\n  fix: Change to an existing folder.\n',
    })
  })

  it('reads a password from standard input, and no process shows it', async () => {
    const shown: string[] = []
    const api = await fakeApi({ admin: sentinel })
    const argv = ['--host', '127.0.0.1', '--port', String(api.port), '--ca', ca, '--user', 'admin']
    const child = start([...argv, '--password-stdin', 'user', 'admin'])
    child.stdin?.write(sentinel)
    // The file of the process list is read while it waits for the end of its input.
    if (existsSync('/proc')) {
      shown.push(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'))
      shown.push(readFileSync(`/proc/${child.pid}/environ`, 'utf8'))
    }
    child.stdin?.end()
    try {
      const { code, stdout, stderr } = await end(child)
      expect({ code, stdout, stderr }).toEqual({
        code: 0,
        stdout: 'user    admin\naccess  full\n',
        stderr: '',
      })
      expect(shown.join('\n')).not.toContain(sentinel)
    } finally {
      await api.close()
    }
  })

  it('ends with 130 when it is interrupted', async () => {
    let child: ChildProcess | undefined
    const mute = await serveTls(leaf, () => child?.kill('SIGINT'))
    try {
      child = start(['--host', '127.0.0.1', '--port', String(mute.port), '--ca', ca, 'ping'])
      expect(await end(child)).toEqual({ code: 130, stdout: '', stderr: '' })
    } finally {
      await mute.close()
    }
  })

  it('exits without an error if the reader of its output closes the pipe', async () => {
    const long = 'x'.repeat(4 * 1024 * 1024)
    const server = await serveTls(leaf, (_message, answer) => {
      answer.end(long)
    })
    try {
      const child = start(['--host', '127.0.0.1', '--port', String(server.port), '--ca', ca, 'get', 'ping'])
      child.stdout?.once('data', () => child.stdout?.destroy())
      let stderr = ''
      child.stderr?.on('data', (chunk) => (stderr += chunk))
      const code = await new Promise((resolve) => child.once('exit', resolve))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    } finally {
      await server.close()
    }
  })

  it.skipIf(!existsSync('/dev/full'))(
    'reports that its output cannot be written (needs /dev/full)',
    async () => {
      const full = openSync('/dev/full', 'w')
      const child = spawn(process.execPath, [program, '--version'], { stdio: ['ignore', full, 'pipe'] })
      closeSync(full)
      expect(await end(child)).toEqual({
        code: 1,
        stdout: '',
        stderr: 'error: the output could not be written: ENOSPC: no space left on device, write\n',
      })
    },
  )

  it.skipIf(!hasScript())('shows nothing of a password typed at a real terminal (needs script)', async () => {
    const api = await fakeApi({ admin: sentinel })
    const argv = [
      '--host',
      '127.0.0.1',
      '--port',
      String(api.port),
      '--ca',
      ca,
      '--user',
      'admin',
      'user',
      'admin',
    ]
    const line = [process.execPath, program, ...argv].map((word) => `'${word}'`).join(' ')
    const child = spawn('script', ['-qec', line, '/dev/null'], {
      env: { HOME: folder, PATH: process.env.PATH, TERM: 'dumb', SHELL: '/bin/sh' },
    })
    let output = ''
    child.stdout.on('data', (chunk) => {
      const asked = output.includes('The password of admin: ')
      output += chunk
      if (!asked && output.includes('The password of admin: ')) child.stdin.write(`x\u007f${sentinel}\r`)
    })
    try {
      const code = await new Promise((resolve) => child.once('close', resolve))
      expect({ code, output: output.replaceAll('\r', '') }).toEqual({
        code: 0,
        output: 'The password of admin: \nuser    admin\naccess  full\n',
      })
    } finally {
      await api.close()
    }
  })
})
