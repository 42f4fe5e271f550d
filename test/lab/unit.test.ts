import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { eventually } from './support/eventually.ts'
import { startLab } from './support/lab.ts'
import { hostOf, type Lab, type LabHost } from './support/labTypes.ts'
import { pinnedNode } from './support/pinnedNode.ts'
import { labHere } from './support/requirements.ts'
import { unitFile } from './support/unitFile.ts'

const probe = readFileSync(fileURLToPath(new URL('fixtures/probe.cjs', import.meta.url)))
const unit = 'muster-alpha-manager.service'

/** Lays an installation out by hand, with the probe in place of the server, and starts its unit. */
async function startProbe(
  host: LabHost,
  installDirectory: string,
  port: number,
  capabilities = '',
): Promise<void> {
  const root = `'${installDirectory}'`
  const must = async (script: string, stdin?: Buffer | string): Promise<void> => {
    const answer = await host.run(`set -e; umask 022; ${script}`, stdin === undefined ? {} : { stdin })
    expect(answer, script).toMatchObject({ code: 0 })
  }
  await must(
    'id muster >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin muster',
  )
  await must(`mkdir -p ${root}/releases/one ${root}/share`)
  await must(`cd ${root}; ln -sfn releases/one current`)
  await must(`cd ${root}; ln -f /usr/local/lib/node current/node || cp /usr/local/lib/node current/node`)
  await must(`cat > ${root}/current/muster-api.cjs`, probe)
  await must(`cat > ${root}/share/manager.json`, JSON.stringify({ port }))
  const values = {
    cluster: 'alpha',
    component: 'manager',
    user: 'muster',
    group: 'muster',
    addresses: 'any',
    protectHome: installDirectory.startsWith('/root/') ? 'tmpfs' : 'true',
    stopSeconds: '40',
    ...{ memoryMax: '1024', cpuWeight: '50', tasksMax: '64', oomScoreAdjust: '300' },
  }
  await must(`cat > /etc/systemd/system/${unit}`, unitFile({ ...values, installDirectory, capabilities }))
  await must(`systemctl daemon-reload; systemctl reset-failed; systemctl restart ${unit}`)
}

/** What the probe answers, over TCP and over its Unix socket. */
async function answers(host: LabHost, port: number): Promise<unknown[]> {
  const urls = [`http://127.0.0.1:${port}/`, `--unix-socket /run/muster-alpha/manager/api.sock http://x/`]
  return eventually('the probe', async () => {
    const got = await Promise.all(urls.map((url) => host.run(`curl -sS -m 5 ${url}`)))
    const failed = got.find(({ code }) => code !== 0)
    if (failed !== undefined) {
      const journal = await host.run(`journalctl -u ${unit} -n 20 --no-pager`)
      throw new Error(`${failed.stderr}\n${journal.stdout}`)
    }
    return got.map(({ stdout }) => JSON.parse(stdout) as unknown)
  })
}

const expected = {
  umask: '77',
  users: 'done',
  log: 'done',
  share: 'EROFS',
  release: 'EROFS',
  etc: 'EROFS',
  varLib: 'EROFS',
  tmp: 'done',
  home: expect.stringMatching(/^(ENOENT|EACCES)$/),
  device: 'ENOENT',
  mount: true,
}

describe.skipIf(labHere.missing)(`the systemd unit${labHere.needs}`, () => {
  let lab: Lab
  let host: LabHost
  beforeAll(async () => {
    lab = await startLab({ hosts: ['db1'], ops: ['db1'] })
    host = hostOf(lab, 'db1')
    await host.run('cat > /usr/local/lib/node && chmod 755 /usr/local/lib/node', {
      stdin: await pinnedNode(),
    })
    await host.run('echo hidden > /home/ops/secret; chmod -R a+rX /home/ops')
  })
  afterAll(() => lab?.stop())

  it.each(['/opt/muster', '/srv/data bases/muster', '/root/muster'])(
    'runs the pinned Node.js from %s, with three writable folders and no more',
    async (directory) => {
      await startProbe(host, directory, 8090)
      const [tcp, socket] = await answers(host, 8090)
      expect(tcp).toMatchObject(expected)
      expect(socket).toEqual(tcp)
      expect((await host.run('ls /tmp/probe')).code).not.toBe(0)
    },
  )

  it('binds a port below 1024 with the capability, and not without', async () => {
    await startProbe(host, '/opt/muster', 443, 'CAP_NET_BIND_SERVICE')
    const [tcp] = await answers(host, 443)
    expect(tcp).toMatchObject(expected)
    await startProbe(host, '/opt/muster', 443)
    await eventually('the refusal', async () =>
      (await host.run(`journalctl -u ${unit} --no-pager`)).stdout.includes('EACCES'),
    )
  })

  it('comes back after a crash, and stays down after five failed starts', async () => {
    await startProbe(host, '/opt/muster', 8090)
    await answers(host, 8090)
    const pid = (await host.run(`systemctl show -P MainPID ${unit}`)).stdout.trim()
    await host.run(`kill -9 ${pid}`)
    await eventually('a new process', async () => {
      const now = (await host.run(`systemctl show -P MainPID ${unit}`)).stdout.trim()
      return now !== pid && now !== '0'
    })
    await host.run(
      `echo 'process.exit(3)' > /opt/muster/current/muster-api.cjs; systemctl reset-failed; systemctl restart ${unit}`,
    )
    // While it still tries, the state is `activating`.
    await eventually('systemd to give up', async () =>
      (await host.run(`systemctl show -P ActiveState ${unit}`)).stdout.startsWith('failed'),
    )
    const journal = await host.run(`journalctl -u ${unit} -n 5 --no-pager`)
    expect(journal.stdout).toContain('Start request repeated too quickly')
  })

  it('is well-formed and scores as hardened', async () => {
    const verified = await host.run(`systemd-analyze verify /etc/systemd/system/${unit}`)
    expect(verified).toEqual({ code: 0, stdout: '', stderr: '' })
    const judged = await host.run(`systemd-analyze security --no-pager ${unit}`)
    const score = /Overall exposure level for \S+: ([\d.]+)/.exec(judged.stdout)?.[1]
    expect(Number(score), judged.stdout).toBeLessThanOrEqual(1.2)
  })
})
