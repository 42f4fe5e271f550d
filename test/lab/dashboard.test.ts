import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBrowser, watchPage } from '../support/browser.ts'
import { must } from './scenario/onHost.ts'
import { makeSentinel } from './scenario/sentinel.ts'
import { type SwitchCluster, startSwitchCluster } from './scenario/switchCluster.ts'
import { eventually } from './support/eventually.ts'
import type { Outcome } from './support/execute.ts'
import { labHere } from './support/requirements.ts'

const levels = { grafana: 'read', oncall: 'operate', admin: 'full' } as const
type User = keyof typeof levels
const users = Object.keys(levels) as readonly User[]

const doors = ['a manager', 'muster dashboard'] as const
type Door = (typeof doors)[number]

/** Milliseconds that a page may take to show what a test waits for, on a busy machine. */
const patience = 60_000

/** Both servers of the dashboard on hosts with databases, steered in a browser by role and name. */
describe.skipIf(labHere.missing)(`the dashboard of a cluster${labHere.needs}`, () => {
  const secret = makeSentinel()
  let lab: SwitchCluster
  let browser: Browser
  let address = ''
  let pid = 0
  let ended: Promise<Outcome> | undefined

  /** `muster dashboard`, whose address works once. */
  async function startDashboard(): Promise<void> {
    if (ended !== undefined) await endDashboard()
    address = ''
    ended = lab.cluster.operator.muster(['dashboard', '--no-open', 'alpha.yaml'], {
      timeout: 1_800_000,
      onStart: (started) => {
        pid = started
      },
      killWhen: (stdout) => {
        address = /http:\S+/.exec(stdout)?.[0] ?? ''
        return false
      },
    })
    await eventually('the address of muster dashboard', async () => address !== '')
  }

  async function endDashboard(): Promise<Outcome | undefined> {
    if (ended === undefined) return undefined
    process.kill(pid, 'SIGINT')
    const outcome = await ended
    ended = undefined
    return outcome
  }

  const passwordOf = (user: User): string =>
    user === 'admin' ? lab.cluster.secrets.admin.password : secret.password

  /** Opens a door as somebody, at the page of the cluster. */
  async function open(door: Door, user: User): Promise<Page> {
    const context = await browser.newContext()
    const page = await context.newPage()
    page.setDefaultTimeout(patience)
    if (door === 'muster dashboard') await startDashboard()
    await page.goto(door === 'a manager' ? `https://${lab.member('db1').address}:8090/dashboard/` : address)
    await page.getByLabel('User').fill(user)
    await page.getByLabel('Password').fill(passwordOf(user))
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'alpha', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Service alpha' }).waitFor()
    return page
  }

  const sourceRow = (page: Page, name: string): Locator =>
    page
      .getByRole('table', { name: 'Data sources of alpha' })
      .getByRole('row', { name: new RegExp(`^${name}\\b`) })

  const shows = (page: Page, name: string, text: RegExp): Promise<void> =>
    sourceRow(page, name).filter({ hasText: text }).waitFor()

  /** Opens the dialog of a thing, chooses an operation, types what it asks for, and confirms. */
  async function act(page: Page, wish: { on: string; what: string; typed?: string }): Promise<Locator> {
    await page.getByRole('button', { name: `Actions for ${wish.on}` }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('radio', { name: wish.what }).check()
    expect(await dialog.innerText()).toContain('In cluster alpha')
    const confirm = dialog.getByRole('button', { name: wish.what })
    if (wish.typed !== undefined) {
      expect(await confirm.isDisabled()).toBe(true)
      await dialog.getByLabel(/to confirm/).fill(wish.typed)
    }
    await confirm.click()
    return dialog
  }

  /** Closes the dialog after every host has answered that it is done; fails with what the dialog says otherwise. */
  async function closeDone(page: Page): Promise<void> {
    const dialog = page.getByRole('dialog')
    await dialog.getByText(/(?:done|failed) on/).waitFor()
    expect(await dialog.innerText()).not.toContain('failed on')
    await dialog.getByRole('button', { name: 'Close' }).click()
  }

  beforeAll(async () => {
    lab = await startSwitchCluster([
      'java-tls-key-lifetime: 60',
      'rest-api-users: { grafana: { access: read, password: !file users.password }, oncall: { access: operate, password: !file users.password } }',
    ])
    lab.cluster.operator.write('users.password', secret.password)
    await lab.install()
    const addresses = lab.members.map((it) => [it.address, it.address])
    browser = await startBrowser({
      authorities: [join(lab.cluster.operator.directory, '.muster', 'alpha', 'authority.crt')],
      hosts: { ...Object.fromEntries(addresses), '*.localhost': '127.0.0.1' },
    })
  })
  afterAll(async () => {
    await browser?.close()
    await endDashboard()
    await lab?.stop()
  })

  for (const door of doors) {
    it.each(users)(`lets %s in by ${door}, with the buttons of that level and no others`, async (user) => {
      const page = await open(door, user)
      await page.getByRole('table', { name: 'Data sources of alpha' }).waitFor()
      for (const name of ['db1', 'db2', 'db3']) await shows(page, name, /online/i)
      expect(await page.getByText(`${user} (${levels[user]})`).isVisible()).toBe(true)
      const actions = await page.getByRole('button', { name: /^Actions for/ }).count()
      expect(actions > 0).toBe(user !== 'grafana')
      await page.getByRole('link', { name: 'Users', exact: true }).click()
      await page
        .getByRole('cell', { name: 'oncall' })
        .or(page.getByRole('rowheader', { name: 'oncall' }))
        .first()
        .waitFor()
      expect(await page.getByRole('button', { name: 'Add a user' }).count()).toBe(user === 'admin' ? 1 : 0)
      // Somebody without buttons who calls all the same is refused by the API itself.
      const answer = await page.evaluate(async () => {
        const response = await fetch('/dashboard/action', {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'X-Muster-Dashboard': '1' },
          body: JSON.stringify({
            ...{ cluster: 'alpha', host: 'db1', component: 'manager', route: 'managerAutomatic' },
            params: { service: 'alpha' },
          }),
        })
        return response.json()
      })
      expect(answer).toMatchObject({ status: user === 'grafana' ? 403 : 200 })
      await page.context().close()
    })

    it(`shows by ${door} that a database dies within a second of the verdict, and that it comes back`, async () => {
      const page = await open(door, 'grafana')
      const db3 = lab.member('db3')
      await shows(page, 'db3', /online/i)
      await must(db3, 'systemctl kill --signal=KILL mariadb && systemctl stop mariadb')
      await shows(page, 'db3', /failed/i)
      const seen = Date.now()
      const managers = await lab.cluster.seenAs('db3', 'FAILED')
      // The page shows what most managers say: the second of three decides.
      const [, verdict = ''] = managers.map(({ since }) => since).sort()
      process.stdout.write(
        `\nfigures of the dashboard: ${door} showed the failure ${seen - Date.parse(verdict)} ms after the verdict\n`,
      )
      await page.getByRole('heading', { name: 'Problems' }).waitFor()
      await must(db3, 'systemctl start mariadb')
      await shows(page, 'db3', /online/i)
      await page.context().close()
      await lab.settled()
    })

    it(`switches the primary by ${door} while clients write, and loses nothing`, async () => {
      const page = await open(door, 'oncall')
      const load = lab.load({ each: 6, kept: 0 })
      await eventually('acknowledged rows', async () => load.acknowledged.length > 50)
      const from = await lab.primary()
      await page.getByRole('button', { name: 'Actions for service alpha' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: 'Switch the primary of alpha' }).check()
      await dialog.getByText(from.name).first().waitFor()
      await dialog.getByRole('button', { name: 'Switch the primary of alpha' }).click()
      await page.getByRole('heading', { name: 'Switch of alpha' }).waitFor()
      await page.getByRole('list', { name: 'Steps' }).waitFor()
      await page.getByText('Clients waited', { exact: true }).waitFor()
      const to = await lab.settled()
      expect(to.name).not.toBe(from.name)
      await load.stop()
      const { missing } = await lab.missing(load)
      expect(Object.values(missing).flat()).toEqual([])
      await page.context().close()
    })
  }

  it('puts a connector on hold and brings it back, which the audit log knows by name', async () => {
    const page = await open('a manager', 'oncall')
    const db1 = lab.member('db1')
    await act(page, { on: 'connector of db1', what: 'Put connector of db1 on hold' })
    await closeDone(page)
    expect(await lab.cluster.connector(db1)).toMatchObject({ value: 'ONHOLD', by: 'oncall' })
    await page
      .getByText(/connector of db1 is on hold|ONHOLD/i)
      .first()
      .waitFor()
    await act(page, { on: 'connector of db1', what: 'Bring connector of db1 online' })
    await closeDone(page)
    expect(await lab.cluster.connector(db1)).toMatchObject({ value: 'ONLINE', by: 'oncall' })
    const log = await must(db1, 'cat /var/log/muster-alpha/*audit*')
    expect(log).toMatch(/"user":"oncall","call":"connectorOnhold"/i)
    await page.context().close()
  })

  it('takes a data source out only for somebody who types its name', async () => {
    const page = await open('muster dashboard', 'oncall')
    const primary = await lab.primary()
    const other = lab.after(primary)
    await act(page, { on: `data source ${other.name}`, what: `Shun ${other.name}`, typed: other.name })
    await closeDone(page)
    await shows(page, other.name, /shunned/i)
    await act(page, { on: `data source ${other.name}`, what: `Welcome ${other.name}` })
    await closeDone(page)
    await shows(page, other.name, /online/i)
    await page.context().close()
    await lab.settled()
  })

  it('shows the days of a certificate change when it is renewed in a terminal', async () => {
    const page = await open('muster dashboard', 'grafana')
    await page.getByRole('link', { name: 'Certificates', exact: true }).click()
    await page
      .getByText(/\b(59|60) days\b/)
      .first()
      .waitFor()
    lab.cluster.operator.write(
      'alpha.yaml',
      lab.file.replace('java-tls-key-lifetime: 60', 'java-tls-key-lifetime: 90'),
    )
    const renewed = await lab.cluster.operator.muster(['cert', 'renew', '--yes', 'alpha.yaml'])
    expect(renewed, `${renewed.stdout}${renewed.stderr}`).toMatchObject({ code: 0 })
    await page
      .getByText(/\b(89|90) days\b/)
      .first()
      .waitFor({ timeout: 60_000 })
    await page.context().close()
  })

  it('ends with Ctrl-C, and no password was printed or logged', async () => {
    await startDashboard()
    expect(await endDashboard()).toMatchObject({ code: 0 })
    expect(lab.cluster.operator.printed()).not.toContain(secret.password)
    for (const it of lab.members) {
      const logs = await must(
        it,
        'journalctl --no-pager -o cat; cat /var/log/muster-alpha/* 2>/dev/null || true',
      )
      expect(logs).not.toContain(secret.password)
    }
  })

  it('asks nobody but its own server, and breaks no policy of it', async () => {
    const context = await browser.newContext()
    const page = await context.newPage()
    const record = watchPage(page)
    const origin = `https://${lab.member('db2').address}:8090`
    await page.goto(`${origin}/dashboard/`)
    await page.getByLabel('User').fill('grafana')
    await page.getByLabel('Password').fill(secret.password)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor()
    expect(record.requests.filter((url) => !url.startsWith(`${origin}/dashboard/`))).toEqual([])
    expect(record.complaints).toEqual([])
    expect(await page.evaluate('[localStorage.length, sessionStorage.length]')).toEqual([0, 0])
    await context.close()
  })
})
